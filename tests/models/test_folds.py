import numpy as np

from assay.models.folds import deal_folds


def test_both_sides_of_a_game_and_all_games_of_its_busiest_player_are_in_one_fold() -> None:
    rng = np.random.default_rng(0)
    busy = rng.integers(0, 12, 200)  # one of twelve who play all the time, against someone new each time
    game = np.repeat(np.arange(200), 2)
    player = np.stack((busy, 12 + np.arange(200)), axis=1).ravel()
    milepost = np.repeat(busy % 3, 2)
    fold = deal_folds(game, player, milepost, 4, rng)
    for codes in (game, player):
        assert all(len(np.unique(fold[codes == one])) == 1 for one in np.unique(codes))
    assert set(fold.tolist()) == {0, 1, 2, 3}
    for one in range(3):
        counts = np.bincount(fold[milepost == one], minlength=4)
        assert counts.max() - counts.min() <= 2 * np.bincount(player)[:12].max(), "every fold has its share"


def test_where_each_milepost_is_of_one_player_folds_are_even_all_the_same() -> None:
    """No fold has any of a player's milepost yet, and all of them went to the first."""
    player = np.repeat(np.arange(14), 10)
    game = np.repeat(np.arange(70), 2)
    fold = deal_folds(game, player, player, 5, np.random.default_rng(0))
    counts = np.bincount(fold, minlength=5)
    assert counts.max() - counts.min() <= 10
