"""The rules protocol: the functions that a game's compiled rules provide, and how to call them.

A game is a structured dtype for its state, another for its constants (parameters and board tables, made once when
the game is loaded) and functions of these two records, compiled by numba. The functions below are the *names* of
what a game provides. Each finds the game's own function (its kernel) by the dtype of the state record: in Python
through a dictionary, in compiled code through `numba.extending.overload`. So a search written once against these
names compiles against any game.

Letters: `s` state record, `c` constants record, `player` a seat, `action` an int64 id, `rng` a generator made by
`make_rng`. Arrays that a function fills (`out` and the like) belong to the caller and are long enough:
`Rules.max_actions` entries for actions, one per player for values.

Two rules for authors keep everything else simple. Positions that are equal have records with equal bytes (scratch
fields go back to one value when they lose their meaning). And `determinize` depends on what `player` sees and on
`rng`, never on the hidden things that the record happens to hold.
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from llvmlite import ir
from numba import from_dtype, njit, types
from numba.core import cgutils
from numba.extending import intrinsic, overload

CHANCE, SIMULTANEOUS, TERMINAL = -1, -2, -4  # pyspiel.PlayerId, as plain integers for compiled code

Record = Any  # one element of a structured array: np.void in Python, numba's Record type in compiled code

_KERNELS: dict[np.dtype, dict[str, Any]] = {}
_NAMES: set[str] = set()
_WEIGHTS: dict[np.dtype, np.ndarray] = {}  # of the figures that `features` fills


def _protocol(generic: Callable[..., Any]) -> Callable[..., Any]:
    """Makes `generic` dispatch to the kernel registered for the dtype of its first argument."""
    name = generic.__name__
    _NAMES.add(name)

    @functools.wraps(generic)
    def call(s: Record, c: Record, *rest: Any) -> Any:
        box, constants = s.base, c.base  # the arrays that the records were taken from, nearly always of one record
        if box is None or constants is None or box.size != 1 or constants.size != 1:
            return _KERNELS[s.dtype][name](s, c, *rest)
        return _boxed(s.dtype, name)(box, constants, *rest)

    def find(s, *rest):
        kernel = _KERNELS[s.dtype][name]

        def implementation(s, *rest):
            return kernel(s, *rest)

        return implementation

    overload(call)(find)
    return call


@functools.cache
def _boxed(state: np.dtype, name: str) -> Any:
    """The kernel called `name` for arrays of one record: numba takes these from Python 10 times faster than records."""
    generic = globals()[name]

    def boxed(s, c, *rest):
        return generic(s[0], c[0], *rest)

    # By this name numba keeps it in a file: one for each kernel, since two processes may compile at the same time.
    boxed.__qualname__ = f"{_KERNELS[state]['current_player'].__module__}.{name}"
    return njit(cache=True)(boxed)


@_protocol
def current_player(s: Record, c: Record) -> int:  # type: ignore[empty-body]
    """The seat to act, or CHANCE, SIMULTANEOUS or TERMINAL."""


@_protocol
def at_decision(s: Record, c: Record) -> bool:  # type: ignore[empty-body]
    """Whether `s` lies between two whole moves, so that it can be written as a position."""


@_protocol
def mixed(s: Record, c: Record) -> bool:  # type: ignore[empty-body]
    """Whether a good answer here may have to be a mixture (the others do not see the choice when they answer)."""


@_protocol
def legal_actions(s: Record, c: Record, player: int, out: np.ndarray) -> int:  # type: ignore[empty-body]
    """Writes the legal actions of `player`, ascending, to `out`; returns how many there are."""


@_protocol
def apply_action(s: Record, c: Record, action: int) -> None:
    """Changes `s` by one action of the player to act, or by one outcome at a chance node."""


@_protocol
def apply_joint(s: Record, c: Record, actions: np.ndarray) -> None:
    """Changes `s` by everybody's action at a simultaneous node (`actions[seat]`)."""


@_protocol
def chance_outcomes(s: Record, c: Record, outcomes: np.ndarray, probs: np.ndarray) -> int:  # type: ignore[empty-body]
    """Writes the outcomes of a chance node and their probabilities; returns how many there are."""


@_protocol
def sample_chance(s: Record, c: Record, rng: np.ndarray) -> int:  # type: ignore[empty-body]
    """An outcome of a chance node, drawn by its probabilities."""


@_protocol
def returns(s: Record, c: Record, out: np.ndarray) -> None:
    """Writes every seat's return of a finished game to `out`."""


@_protocol
def information_key(s: Record, c: Record, player: int) -> int:  # type: ignore[empty-body]
    """64-bit hash of what `player` can see now, and of the public past that matters to what may still come."""


@_protocol
def public_key(s: Record, c: Record) -> int:  # type: ignore[empty-body]
    """64-bit hash of what somebody who holds no hidden information can see now."""


@_protocol
def prepare(s: Record, c: Record, player: int, table: np.ndarray) -> None:
    """Fills `table` (`Rules.table_size` float64) with what `determinize` needs, from what `player` sees in `s`."""


@_protocol
def determinize(s: Record, c: Record, player: int, rng: np.ndarray, table: np.ndarray) -> None:
    """Redraws, by their probabilities given what `player` has seen, all that `player` cannot see."""


@_protocol
def world_at(s: Record, c: Record, player: int, ways: float) -> float:  # type: ignore[empty-body]
    """Makes `s` the world at which the ways in which worlds come about, added up, exceed `ways`.

    All worlds that fit what `player` sees are gone through, always in the same order, and the ways in which chance
    leads to each are added up: returns the sum with this one, or at most `ways` where there are no more. 0 at once
    where the worlds cannot be listed, or hang on what the others like to choose.
    """


@_protocol
def consistent_action(s: Record, c: Record, target: Record, player: int, action: int) -> int:  # type: ignore[empty-body]
    """The action at `s` on the way to `target`, where `action` was taken by `player` on the way to another world.

    `target` differs from the world really reached only by hidden things. What was seen stays; a hidden choice or
    dealt card becomes the one that `target` holds. `player` is CHANCE at chance nodes.
    """


@_protocol
def conform(s: Record, c: Record, target: Record, player: int) -> None:
    """Makes `s`, from which a history led to the world of `target` save for hidden things, hold those of `target`.

    Only what `player` cannot see in `target` changes. Called for histories that begin in mid-game.
    """


@_protocol
def conceal(s: Record, c: Record, before: Record, player: int) -> None:
    """Marks in `s`, which `player`'s move from `before` led to, what `player` will only see when the game goes on."""


@_protocol
def end_part(s: Record, c: Record, action: int) -> bool:  # type: ignore[empty-body]
    """Whether `action` ends a part of the game after which all that was hidden in it is forgotten (a round, say).

    If so, `s` becomes what it is at the end of that part, the hidden things still there; else it stays.
    """


@_protocol
def playout_action(s: Record, c: Record, player: int, actions: np.ndarray, n: int, rng: np.ndarray) -> int:  # type: ignore[empty-body]
    """A sensible action out of `actions[:n]`: quick, random enough for playouts, using only what `player` sees."""


@_protocol
def scripted_action(s: Record, c: Record, player: int, actions: np.ndarray, n: int, rng: np.ndarray) -> int:  # type: ignore[empty-body]
    """The game's own plain player: the best of `actions[:n]` by a simple rule, using only what `player` sees."""


@_protocol
def likelihood(s: Record, c: Record, player: int) -> float:  # type: ignore[empty-body]
    """How likely (0 to 1) what the others were seen to do is, if they hold what they hold in `s`, as far as it matters.

    `determinize` draws without asking why somebody bid as he did; a search takes a world with this probability.
    """


@_protocol
def quiet(s: Record, c: Record) -> bool:  # type: ignore[empty-body]
    """Whether a playout may stop at `s`, because `evaluate` tells there about as much as playing on would."""


@_protocol
def evaluate(s: Record, c: Record, out: np.ndarray) -> None:
    """Writes every seat's expected return of an unfinished game to `out`."""


@_protocol
def features(s: Record, c: Record, seat: int, out: np.ndarray) -> None:
    """Writes what `evaluate` weighs about a seat to `out`, zeros so far: a figure for each of `Rules.features`."""


@njit(cache=True)
def advance(box, constants, chosen, rng, states, seats, actions, done):
    """Plays what the seats to act have `chosen` [P], then draws for chance until seats have to act or the game ends.

    Every action goes into the log from place `done` on: the states before [K], seats (CHANCE for a draw) and actions.
    Returns the player to act then, which is CHANCE where the log has no more room, and the length of the log. The log
    needs room for one action of every seat.
    """
    s, c = box[0], constants[0]
    player = np.int64(current_player(s, c))
    if player == SIMULTANEOUS:
        for seat in range(len(chosen)):
            states[done], seats[done], actions[done] = s, seat, chosen[seat]
            done += 1
        apply_joint(s, c, chosen)
    elif player >= 0:
        states[done], seats[done], actions[done] = s, player, chosen[player]
        done += 1
        apply_action(s, c, chosen[player])
    player = np.int64(current_player(s, c))
    while player == CHANCE and done < len(states):
        states[done], seats[done], actions[done] = s, CHANCE, np.int64(sample_chance(s, c, rng))
        apply_action(s, c, actions[done])
        done += 1
        player = np.int64(current_player(s, c))
    return player, done


def box_of(record: Record) -> np.ndarray:
    """An array of one record: that which `record` was taken from, or a new one with a copy of it.

    For small compiled functions that Python calls often: numba takes arrays 10 times faster than records.
    """
    box = record.base
    if box is None or box.size != 1:
        box = np.empty(1, record.dtype)
        box[0] = record
    return box


def copied(record: np.ndarray) -> np.ndarray:
    """A copy of `record` (array of one record); its own `copy` goes field by field and takes twenty times as long."""
    return record_of(record.tobytes(), record.dtype)


def record_of(data: bytes, dtype: np.dtype) -> np.ndarray:
    """An array of the one record whose bytes are `data`."""
    return np.frombuffer(bytearray(data), dtype)


# Random numbers: xoroshiro128+ (Blackman and Vigna, 2018), whose state is a plain array, so that it is cheap inside
# compiled code and can be seeded through numpy.


def make_rng(seed: int | np.random.SeedSequence) -> np.ndarray:
    """Generator state (two uint64) seeded through `np.random.SeedSequence`."""
    sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    return sequence.generate_state(2, np.uint64)


FIXED_RNG = make_rng(0)  # to be copied where anything drawn will do, as long as it is always the same


@njit(cache=True)
def random_bits(rng):
    """Next 64 random bits of `rng`."""
    a, b = rng[0], rng[1]
    result = a + b
    b ^= a
    rng[0] = ((a << np.uint64(24)) | (a >> np.uint64(40))) ^ b ^ (b << np.uint64(16))
    rng[1] = (b << np.uint64(37)) | (b >> np.uint64(27))
    return result


@njit(cache=True)
def random_below(rng, n):
    """Uniform integer in [0, n), n below 2**31 (multiply and shift; the bias is below n / 2**32)."""
    return np.int64(((random_bits(rng) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@njit(cache=True)
def random_unit(rng):
    """Uniform float in [0, 1)."""
    return np.float64(random_bits(rng) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


# Sets as the bits of an int64, and scratch space that costs nothing to get.


@intrinsic
def bit_count(typingctx, bits):
    """How many bits of an int64 are set."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.int64), codegen


@intrinsic
def lowest_bit(typingctx, bits):
    """The number of the lowest bit set in an int64; 64 if there is none."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), codegen


def local_record(dtype: np.dtype) -> Any:
    """A function for compiled code that gives a record of `dtype` on the stack of its caller, all zeros.

    It may be handed on to functions that are called, but not returned.
    """
    record = from_dtype(dtype)

    @intrinsic
    def make(typingctx):
        return record(), _zeros_on_stack

    return make


def _zeros_on_stack(context, builder, signature, args):
    size = signature.return_type.size
    pointer = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(8), size))
    cgutils.memset(builder, pointer, ir.Constant(cgutils.intp_t, size), 0)
    return pointer


# Evaluations whose weights are fitted: the figures about a seat, weighed, are the logarithm of its odds.


@intrinsic
def _new_figures(typingctx, s):
    """A record on the stack, as `local_record` makes, with room for the figures about a seat of the game of `s`."""
    return from_dtype(np.dtype([("of", "f8", (len(_WEIGHTS[s.dtype]),))]))(s), _zeros_on_stack


def weighed(s: Record, c: Record, seat: int) -> float:
    """What `features` tells about a seat, by the game's weights; in compiled code only."""
    raise NotImplementedError


@overload(weighed)
def _weigh(s, c, seat):
    weights = _WEIGHTS[s.dtype]

    def implementation(s, c, seat):
        figures, total = _new_figures(s), 0.0
        features(s, c, seat, figures.of)
        for i in range(len(weights)):
            total += weights[i] * figures.of[i]
        return total

    return implementation


@njit(cache=True)
def _weighed_shares(s, c, out):
    """The seats' shares of the win: the exponentials of what is `weighed`, in proportion (softmax)."""
    best, total = -np.inf, 0.0
    for seat in range(c.players):
        out[seat] = weighed(s, c, seat)
        best = max(best, out[seat])
    for seat in range(c.players):
        out[seat] = np.exp(out[seat] - best)
        total += out[seat]
    for seat in range(c.players):
        out[seat] /= total


# Hashing: keys are made from the 8-byte words of a record, and of whatever is mixed in by hand.


@intrinsic
def _word(typingctx, s, index):
    """The `index`-th uint64 of a record's bytes."""

    def codegen(context, builder, signature, args):
        pointer = builder.bitcast(args[0], cgutils.intp_t.as_pointer())
        return builder.load(builder.gep(pointer, [args[1]]), align=1)

    return types.uint64(s, types.int64), codegen


@intrinsic
def _words(typingctx, s):
    """How many uint64 a record holds."""
    size = s.size // 8

    def codegen(context, builder, signature, args):
        return context.get_constant(types.int64, size)

    return types.int64(s), codegen


@njit(cache=True)
def mix(key, value):
    """Hash `key` with one more uint64 `value` mixed in (multiply and fold, from the splitmix64 constants)."""
    z = (key ^ np.uint64(value)) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True)
def hash_words(s, first, last):
    """Hash of the record's words `first` to `last - 1`."""
    key = np.uint64(0x9E3779B97F4A7C15)
    for i in range(first, last):
        key = mix(key, _word(s, i))
    return key


# Kernels for games that do not need their own: nothing is hidden, nothing is random, any action may be played.


@njit(cache=True)
def _never(s, c):
    return False


@njit(cache=True)
def _no_joint(s, c, actions):
    pass


@njit(cache=True)
def _no_outcomes(s, c, outcomes, probs):
    return 0


@njit(cache=True)
def _no_sample(s, c, rng):
    return 0


@njit(cache=True)
def _whole_key(s, c):
    return hash_words(s, 0, _words(s))


@njit(cache=True)
def _whole_key_of(s, c, player):
    return mix(hash_words(s, 0, _words(s)), player)


@njit(cache=True)
def _no_table(s, c, player, table):
    pass


@njit(cache=True)
def _nothing_hidden(s, c, player, rng, table):
    pass


@njit(cache=True)
def _unlisted(s, c, player, ways):
    return 0.0


@njit(cache=True)
def _same_action(s, c, target, player, action):
    return action


@njit(cache=True)
def _conforms(s, c, target, player):
    pass


@njit(cache=True)
def _conceals_nothing(s, c, before, player):
    pass


@njit(cache=True)
def _ends_no_part(s, c, action):
    return False


@njit(cache=True)
def _no_features(s, c, seat, out):
    pass


@njit(cache=True)
def _tells_nothing(s, c, player):
    return 1.0


@njit(cache=True)
def _any_action(s, c, player, actions, n, rng):
    return actions[random_below(rng, n)]


@njit(cache=True)
def _always(s, c):
    return True


@njit(cache=True)
def _playout_player(s, c, player, actions, n, rng):
    return playout_action(s, c, player, actions, n, rng)


_DEFAULTS = {
    "mixed": _never,
    "apply_joint": _no_joint,
    "chance_outcomes": _no_outcomes,
    "sample_chance": _no_sample,
    "information_key": _whole_key_of,
    "public_key": _whole_key,
    "prepare": _no_table,
    "determinize": _nothing_hidden,
    "world_at": _unlisted,
    "consistent_action": _same_action,
    "conform": _conforms,
    "conceal": _conceals_nothing,
    "end_part": _ends_no_part,
    "playout_action": _any_action,
    "scripted_action": _playout_player,
    "likelihood": _tells_nothing,
    "quiet": _always,
    "features": _no_features,
}


@dataclass(frozen=True)
class Rules:
    """What the search and the adapter need to know of a game's compiled rules besides the functions.

    Attributes:
      state, constants: dtypes of the two records; `state` holds a multiple of 8 bytes.
      max_actions: most actions that are ever legal, or outcomes possible, at one node.
      table_size: float64 entries that `prepare` fills.
      playout_steps: actions after which a playout stops, as soon as it is quiet, and takes `evaluate`.
      features: what the figures are about that `features` fills, with the weights by which `evaluate` weighs them.
      exploration: constant of UCB, in returns scaled to 0..1: how much the values of moves usually differ.
      trust: visits from which on what a search has learnt is worth more than the playout policy.
      purify: part of the largest share of a mixture below which a move counts as one that nobody would play.
      keys, ranges: how the search treats the seats that it does not advise (see `solvers.search.SearchOptions`);
        `ranges` needs a `determinize` that uses no table.
    """

    state: np.dtype
    constants: np.dtype
    max_actions: int
    playout_steps: int
    table_size: int = 0
    features: Mapping[str, float] = field(default_factory=dict, hash=False)
    exploration: float = 0.7
    trust: int = 1
    purify: float = 0.0
    keys: str = "exact"
    ranges: float = 0.0


def register(rules: Rules, *kernels: Any) -> Rules:
    """Registers a game's kernels, each under the name of its function; what is left out gets the default.

    That of `evaluate`, where there are `features`, shares out the win by these; it needs the number of `c.players`.

    Raises ValueError for a record size that is no multiple of 8, for a layout that another game already has, for a
    kernel that the protocol does not know, and for one that is missing.
    """
    if rules.state.itemsize % 8:
        raise ValueError(f"the state record has {rules.state.itemsize} bytes, not a multiple of 8")
    if rules.state in _KERNELS:
        raise ValueError("another game has the same state record; add a field with its own name")
    given = {kernel.__name__: kernel for kernel in kernels}
    unknown = sorted(given.keys() - _NAMES)
    defaults = _DEFAULTS | ({"evaluate": _weighed_shares} if rules.features else {})
    missing = sorted(_NAMES - given.keys() - defaults.keys())
    if unknown or missing:
        raise ValueError(f"kernels unknown: {unknown}, missing: {missing}")
    _KERNELS[rules.state] = defaults | given
    _WEIGHTS[rules.state] = np.array(list(rules.features.values()))
    return rules
