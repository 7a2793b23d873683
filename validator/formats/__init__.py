"""The JSON formats of submissions: typed arrays of their content, and the rules that no schema can say."""
