"""What the tasks of one family share."""
