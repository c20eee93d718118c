"""Small games with known answers, as rules: yardsticks for tests and benchmarks, checked against OpenSpiel's own."""
