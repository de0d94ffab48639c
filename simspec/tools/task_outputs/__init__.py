"""The outputs that a chat model writes to the inputs of tasks, with all that n-gram drafters and new tokens are judged on."""
