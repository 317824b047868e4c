"""Everything outside of the server: clients' configurations, Unity projects and the machine,
checked and edited.
"""
