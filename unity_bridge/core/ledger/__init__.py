"""The ledger: tables of states, records behind one lock, the queue and the deadlines."""
