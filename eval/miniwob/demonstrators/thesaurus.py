"""Synonyms, as any speaker of English knows them."""

from __future__ import annotations

MEANINGS = tuple(
    frozenset(line.split())
    for line in """
    afraid fearful frightened panicked scared terrified
    aged ancient archaic elderly old
    angry cross furious irritated mad
    answer reply respond response
    appetizing delectable delicious savory tasty
    assassinate kill murder slay
    automobile automobiles car cars vehicle vehicles
    begin commence initiate launch start
    big enormous gigantic huge large
    bold brave courageous fearless
    bunnies bunny hare rabbit rabbits
    calm mild peaceful quiet serene
    camouflage conceal hide
    carve chop cut slice
    cease end finish halt stop
    cheerful delighted gleeful happy joyful
    chubby fat fleshy plump
    crimson red scarlet vermilion vermillion
    corrupt depraved evil immoral sinful wicked
    despise detest dislike hate loathe
    dull dumb foolish stupid unwise
    actual genuine real true
    adore favor like love
    amusing comical funny humorous laughable
    erroneous incorrect mistaken wrong
    fire fires flame flames
    home homes house houses
    keep maintain preserve retain sustain
    little mini petite small tiny
    miserable sad sorrowful tragic unhappy
    odd peculiar strange unusual weird
    hog pig pork swine
    television televisions TV TVs
    """.splitlines()
    if line.strip()
)


def alike(one: str, other: str) -> bool:
    """Whether two words are synonyms."""
    return one == other or any(one in group and other in group for group in MEANINGS)
