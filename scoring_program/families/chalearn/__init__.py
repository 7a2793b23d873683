"""The two tracks of ChaLearn LAP 2014: labeled intervals of frames in CSV files."""
