"""The compiled part of PPM: a text's contexts as a trie in one hash table. Imported only when PPM runs.

A node is a string of one to six characters of the text; node 0 is the empty string. `shorter[v]` is node v without
its first character, so backing off is one step and never a new search of each order. A slot of the table holds
parent, character and node in 21 bits each: one read settles a lookup, and a character may be any of Unicode.
"""

from typing import TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ...arrays import Floats, Ints

Codes: TypeAlias = NDArray[np.uint32]
HashTable: TypeAlias = NDArray[np.uint64]
Nodes: TypeAlias = NDArray[np.int32]

ORDER = 5
MOST_NODES = 1 << 21

_FIELD = np.uint64(21)
_NODE = np.uint64(MOST_NODES - 1)
_FREE, _ONE = np.uint64(0), np.uint64(1)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio (Knuth's multiplicative hashing)
_UNSEEN = 8.0  # bits: −log2(1/256)


# Compiled once a process and kept nowhere: a cache on disk would be written beside this file.
@njit(nogil=True)
def _slot(table: HashTable, wanted: np.uint64, shift: np.uint64) -> np.uint64:
    """Return where (parent, character) stands in the table, or else the free slot where it belongs."""
    last = np.uint64(len(table) - 1)
    slot = (wanted * _SPREAD) >> shift
    while table[slot] != _FREE and table[slot] >> _FIELD != wanted:
        slot = (slot + _ONE) & last
    return slot


@njit(nogil=True)
def _build(text: Codes, table: HashTable, shift: np.uint64, shorter: Nodes, count: Nodes, followed: Nodes) -> bool:
    """Count every string of up to six characters, and how often another character follows; False: table too small."""
    table[:] = _FREE
    shorter[0] = count[0] = 0
    nodes, context, depth = 1, 0, 0
    for character in text:
        if 4 * (nodes + ORDER + 1) > 3 * len(table):
            return False
        longest, previous, parent = 0, 0, context
        while True:
            wanted = (np.uint64(parent) << _FIELD) | np.uint64(character)
            slot = _slot(table, wanted, shift)
            new = table[slot] == _FREE
            if new:
                table[slot] = (wanted << _FIELD) | np.uint64(nodes)
                shorter[nodes] = count[nodes] = 0
                nodes += 1
            node = int(np.int64(table[slot] & _NODE))
            if longest == 0:
                longest = node
            else:
                shorter[previous] = node
            if not new or parent == 0:  # the endings of a known string are known, and so are their links
                break
            previous, parent = node, int(shorter[parent])
        count[longest] += 1
        context, depth = longest, depth + 1
        if depth > ORDER:
            context, depth = int(shorter[longest]), ORDER
    # An occurrence was counted at its longest string only; now it is handed on to the endings. The strings one character
    # made are numbered from long to short, so their runs are taken from the last to the first, each from its start.
    end = nodes - 1
    while end > 0:
        start = end
        while start > 1 and shorter[start - 1] == start:
            start -= 1
        for node in range(start, end + 1):
            count[shorter[node]] += count[node]
        end = start - 1
    for node in range(nodes):
        followed[node] = count[node]
    while context != 0:  # nothing follows the last occurrence of the text's own endings
        followed[context] -= 1
        context = int(shorter[context])
    return True


@njit(nogil=True)
def _bits(
    text: Codes, table: HashTable, shift: np.uint64, shorter: Nodes, count: Nodes, followed: Nodes, log2: Floats
) -> float:
    """Return bits per character of a text under the model: the longest context that knows the character decides."""
    if len(text) == 0:
        return _UNSEEN
    total, context, depth = 0.0, 0, 0
    for character in text:
        while True:
            wanted = (np.uint64(context) << _FIELD) | np.uint64(character)
            entry = table[_slot(table, wanted, shift)]
            if entry != _FREE:
                node = int(np.int64(entry & _NODE))
                total += log2[followed[context]] - log2[count[node]]
                context, depth = node, depth + 1
                if depth > ORDER:
                    context, depth = int(shorter[node]), ORDER
                break
            if context == 0:
                total += _UNSEEN
                break
            context, depth = int(shorter[context]), depth - 1
    return total / len(text)


@njit("void(uint32[::1], int64[::1], int64[::1], int64[::1], float64[::1], float64[::1])", nogil=True)
def cross_entropies(characters: Codes, starts: Ints, models: Ints, texts: Ints, log2: Floats, bits: Floats) -> None:
    """Set `bits[i]` of text `texts[i]` under the model of text `models[i]`, where text t is characters[starts[t]:starts[t + 1]].

    `log2[n]` is the logarithm of n, up to the longest model's length. A model is built when it differs from the one
    before it, so entries sorted by model build each once.
    """
    longest = 1
    for model in models:
        longest = max(longest, starts[model + 1] - starts[model])
    size = (ORDER + 1) * longest + 1
    shorter, count, followed = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.int32)
    table, shift = np.empty(0, np.uint64), np.uint64(0)
    for entry in range(len(models)):
        model, text = models[entry], texts[entry]
        if entry == 0 or model != models[entry - 1]:
            source = characters[starts[model] : starts[model + 1]]
            # Prose has about two strings a character; only noise needs the six that are possible, and a larger table.
            power = 4
            while 1 << power < 4 * len(source):
                power += 1
            while True:
                if len(table) != 1 << power:
                    table, shift = np.empty(1 << power, np.uint64), np.uint64(64 - power)
                if _build(source, table, shift, shorter, count, followed):
                    break
                power += 1
        bits[entry] = _bits(characters[starts[text] : starts[text + 1]], table, shift, shorter, count, followed, log2)
