"""What tests share: decisions, games and agents made for them."""
