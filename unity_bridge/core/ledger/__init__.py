"""The ledger: tables of states, frozen records behind one lock, the queue and the deadlines. It
decides nothing.
"""
