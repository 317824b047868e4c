"""Text of other programs: JSON is read with limits, quoted in messages, and compared with what was
meant.
"""
