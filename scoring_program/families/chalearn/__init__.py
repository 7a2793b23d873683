"""The two tracks of ChaLearn LAP 2014."""
