"""The three outputs: scores.txt, scores.json and the HTML detail page. Only this package knows HTML."""
