"""Other systems' text to the nouns of a cluster and back: state files, job logs, and the map between the words of both."""
