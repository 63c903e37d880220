"""Names of players in every way of writing, and any text at all."""

from hypothesis import strategies as st

FAMILIES = st.sampled_from(["Kasparov", "Müller", "de la Cruz", "Li", "Ng", "O'Kelly", "Stockfish 15"])

GIVEN = st.sampled_from(["", "Garry", "G", "G.", "Anna Maria", "A. M.", "Bo", "B", "Éva"])

WRITTEN = st.builds(
    lambda family, given, style: {
        "comma": f"{family}, {given}",
        "tight": f"{family},{given}",
        "turned": f"{given} {family}",
        "titled": f"GM {family}, {given}",
        "plain": family,
    }[style],
    FAMILIES,
    GIVEN,
    st.sampled_from(["comma", "tight", "turned", "titled", "plain"]),
)

ANY_NAME = st.one_of(WRITTEN, st.text(max_size=30))
