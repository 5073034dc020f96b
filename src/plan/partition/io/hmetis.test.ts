import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PartitionError } from '../state/index.js'
import { parseHmetis } from './hmetis.js'

const parse = (text: string) => parseHmetis(Buffer.from(text, 'latin1'), 'a.hgr')

/** Nets as lists, costs and weights as arrays. */
function shown(text: string) {
  const { netOffsets, pins, netCosts, vertexWeights, vertexCount } = parse(text)
  const nets = Array.from(netCosts, (_, e) => [...pins.subarray(netOffsets[e], netOffsets[e + 1])])
  expect(vertexWeights).toHaveLength(vertexCount)
  return { nets, costs: [...netCosts], weights: [...vertexWeights] }
}

describe('an hMETIS file', () => {
  const nets = [
    [0, 1],
    [2, 1, 0],
  ]
  it.each([
    ['without fmt', '2 3\n1 2\n3 2 1\n', [1, 1], [1, 1, 1]],
    ['with fmt 0', '2 3 0\n1 2\n3 2 1\n', [1, 1], [1, 1, 1]],
    ['with costs (fmt 1)', '2 3 1\n7 1 2\n0 3 2 1\n', [7, 0], [1, 1, 1]],
    ['with vertex weights (fmt 10)', '2 3 10\n1 2\n3 2 1\n5\n0\n6\n', [1, 1], [5, 0, 6]],
    ['with both (fmt 11)', '2 3 11\n2 1 2\n3 3 2 1\n5\n4\n6\n', [2, 3], [5, 4, 6]],
    ['with fractions', '2 3 11\n0.5 1 2\n1e3 3 2 1\n.25\n4.\n6\n', [0.5, 1000], [0.25, 4, 6]],
    ['without the last newline', '2 3\n1 2\n3 2 1', [1, 1], [1, 1, 1]],
    ['with CRLF', '2 3\r\n1 2\r\n3 2 1\r\n', [1, 1], [1, 1, 1]],
    ['with CRLF but for the last', '2 3 10\r\n1 2\r\n3 2 1\r\n1\r\n2\r\n3', [1, 1], [1, 2, 3]],
    ['with tabs and many spaces', '  2\t\t3  \n\t1   2 \t\n3\t2\t1\t\n', [1, 1], [1, 1, 1]],
    ['with blank lines around', '\n\n2 3\n1 2\n3 2 1\n\n  \n', [1, 1], [1, 1, 1]],
    ['with a byte order mark', '\xef\xbb\xbf2 3\n1 2\n3 2 1\n', [1, 1], [1, 1, 1]],
    [
      'with comments anywhere',
      '% made by hand\n2 3 % two nets\n%\n1 2%tail\n  % indented\r\n3 2 1\n% end',
      [1, 1],
      [1, 1, 1],
    ],
    ['that names a vertex twice in a net', '2 3\n1 2 1 1\n3 2 1 3\n', [1, 1], [1, 1, 1]],
  ])('%s is read', (_, text, costs, weights) => {
    expect(shown(text)).toEqual({ nets, costs, weights })
  })

  it('may have no nets, and vertices without one', () => {
    expect(shown('0 2\n')).toEqual({ nets: [], costs: [], weights: [1, 1] })
    expect(shown('1 4\n2\n')).toEqual({ nets: [[1]], costs: [1], weights: [1, 1, 1, 1] })
  })

  it.each([
    ['nothing', '', 'a.hgr: the file is empty'],
    ['only comments', '% a\n\n% b\n', 'the file is empty'],
    ['a word for a count', 'two 3\n', 'a.hgr, line 1: the number of nets is "two", which is not a number'],
    ['one count', '2\n1 2\n', 'line 1: the number of vertices is missing'],
    ['an unknown fmt', '2 3 2\n1 2\n3 2 1\n', 'line 1: fmt is 2; 0, 1, 10 and 11 are known'],
    ['too much in the header', '2 3 1 1\n1 2\n3\n', 'line 1: more than "nets vertices fmt"'],
    ['no vertices', '0 0\n', 'line 1: there are no vertices'],
    ['half a net', '2.5 3\n', 'line 1: the number of nets is 2.5; a whole number is wanted'],
    ['a negative count', '-2 3\n', 'line 1: the number of nets is -2; it cannot be negative'],
    ['too few nets', '3 3\n1 2\n3 2 1\n', 'a.hgr, line 3: the file ends after 2 of 3 nets'],
    ['too many nets', '1 3\n1 2\n3 2 1\n', 'line 3: more lines than the header asks for: 1 nets'],
    ['a vertex 0', '2 3\n1 2\n0 1\n', 'line 3: vertex 0 is out of range; they go from 1 to 3'],
    ['a vertex too high', '% c\n2 3\n1 2\n4 1\n', 'line 4: vertex 4 is out of range'],
    ['a negative vertex', '2 3\n1 2\n-1 1\n', 'line 3: a vertex is -1; it cannot be negative'],
    ['half a vertex', '2 3\n1 2.5\n1\n', 'line 2: a vertex is 2.5; a whole number is wanted'],
    ['a word among vertices', '2 3\n1 2\n1 x2\n', 'line 3: a vertex is "x2", which is not a number'],
    ['a NUL', '2 3\n1 2\n1\x002\n', 'line 3: a vertex is "1\\u00002", which is not a number'],
    ['an empty net', '2 3\n\n1 2\n3\n', 'line 2: net 1 has no vertices'],
    [
      'a net that is only a cost',
      '2 3 1\n1 1 2\n5\n',
      'line 3: the file ends after 1 of 2 nets, or net 2 has',
    ],
    ['a missing cost', '2 3 1\n1 1 2\n\n1 1 2\n', 'line 3: net 2 has no vertices'],
    ['a cost that is no number', '1 3 1\nNaN 1 2\n', 'line 2: the cost of the net is "NaN"'],
    ['an endless cost', '1 3 1\nInfinity 1 2\n', 'line 2: the cost of the net is "Infinity"'],
    [
      'a cost of many digits',
      '1 3 1\n12345678901234567890 1 2\n',
      'line 2: the cost of the net is 12345678901234567890, w',
    ],
    ['a cost too large', '1 3 1\n1e300 1 2\n', 'line 2: the cost of the net is 1e300, which is too large'],
    ['a negative cost', '1 3 1\n-1 1 2\n', 'line 2: the cost of the net is -1; it cannot be negative'],
    ['a hexadecimal weight', '1 1 10\n1\n0x10\n', 'line 3: the weight of the vertex is "0x10"'],
    ['a NaN weight', '1 2 10\n1\n1\nnan\n', 'line 4: the weight of the vertex is "nan"'],
    ['a negative weight', '1 2 10\n1\n-3\n1\n', 'line 3: the weight of the vertex is -3; it cannot be neg'],
    ['too few weights', '1 2 10\n1\n5\n', 'line 3: the file ends after the weights of 1 of 2 vertices'],
    ['too many weights', '1 2 10\n1\n5\n6\n7\n', 'line 5: more lines than the header asks for: 1 nets and 2'],
    ['two weights in a line', '1 2 10\n1\n5 6\n7\n', 'line 3: more than one weight'],
    [
      'a header that lies by billions',
      '2000000000 3\n1\n',
      'line 1: 2000000000 nets, more than a file of 15 b',
    ],
    ['vertices by the billion', '1 4000000000\n1\n', 'line 1: 4000000000 vertices, more than a file of'],
    ['vertex weights by the million', '1 5000000 10\n1\n', 'line 1: 5000000 vertices, more than a file of'],
  ])('with %s is refused in one line that says where', (_, text, complaint) => {
    let said = ''
    try {
      parse(text)
    } catch (error) {
      expect(error).toBeInstanceOf(PartitionError)
      said = (error as Error).message
    }
    expect(said).toContain(complaint)
    expect(said).not.toContain('\n')
  })

  it('says what it was made from, whatever that is', () => {
    const blanks = fc.stringMatching(/^[ \t]{1,3}$/)
    const vertex = fc.integer({ min: 1, max: 50 })
    const net = fc.uniqueArray(vertex, { minLength: 1, maxLength: 9 })
    const weight = fc.oneof(fc.integer({ min: 0, max: 2 ** 40 }), fc.constantFrom(0.5, 1.25, 1e-7))
    const weights = fc.array(weight, { minLength: 50, maxLength: 50 })
    const costed = fc.array(fc.tuple(weight, net), { maxLength: 20 })
    fc.assert(
      fc.property(
        costed,
        weights,
        blanks,
        fc.constantFrom('\n', '\r\n', ' %x\n'),
        (nets, weights, gap, end) => {
          const rows = [
            [nets.length, 50, 11],
            ...nets.map(([cost, pins]) => [cost, ...pins]),
            ...weights.map(w => [w]),
          ]
          const read = shown(rows.map(row => row.join(gap)).join(end))
          expect(read.nets).toEqual(nets.map(([, pins]) => pins.map(pin => pin - 1)))
          expect(read.costs).toEqual(nets.map(([cost]) => cost))
          expect(read.weights).toEqual(weights)
        },
      ),
    )
  })

  it('of any bytes at all is read or refused, and nothing else happens', () => {
    const bytes = fc.uint8Array({ maxLength: 60 })
    const nearly = fc.stringMatching(/^[0-9 \n%.e-]{0,60}$/).map(text => Buffer.from(text))
    fc.assert(
      fc.property(fc.oneof(bytes, nearly), input => {
        try {
          parseHmetis(input, 'a.hgr')
        } catch (error) {
          expect(error).toBeInstanceOf(PartitionError)
        }
      }),
    )
  })
})
