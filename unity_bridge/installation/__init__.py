"""What lies outside of the server: clients' configurations, Unity projects, the machine. Judged, edited with care."""
