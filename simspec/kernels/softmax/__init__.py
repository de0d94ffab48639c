"""Row statistics and total variation of softmax laws, straight from logits."""
