import { describe, expect, it } from 'vitest'
import { PartitionError } from '../state/index.js'
import { parseMetisGraph } from './metis-graph.js'

const parse = (text: string) => parseMetisGraph(Buffer.from(text, 'latin1'), 'a.graph')

/** Edges as [from, to, weight]. */
function shown(text: string) {
  const { netOffsets, pins, netCosts, vertexWeights, constraintCount } = parse(text)
  const edges = Array.from(netCosts, (cost, e) => [...pins.subarray(netOffsets[e], netOffsets[e + 1]), cost])
  return { edges, weights: [...vertexWeights], constraintCount }
}

describe('a METIS graph', () => {
  const path = [
    [0, 1, 1],
    [1, 2, 1],
  ]
  const costed = [
    [0, 1, 5],
    [1, 2, 0],
  ]
  it.each([
    ['without fmt', '3 2\n2\n1 3\n2\n', path, [1, 1, 1], 1],
    ['with fmt 000', '3 2 000\n2\n3 1\n2', path, [1, 1, 1], 1],
    ['with edge weights (001)', '3 2 001\n2 5\n1 5 3 0\n2 0\n', costed, [1, 1, 1], 1],
    ['with edge weights (1)', '3 2 1\n2 5\n1 5 3 0\n2 0\n', costed, [1, 1, 1], 1],
    ['with vertex weights (010)', '3 2 010\n7 2\n0 1 3\n9 2\n', path, [7, 0, 9], 1],
    ['with both (011)', '3 2 011\n7 2 5\n8 1 5 3 0\n9 2 0\n', costed, [7, 8, 9], 1],
    ['with sizes too (111)', '3 2 111\n4 7 2 5\n4 8 1 5 3 0\n4 9 2 0\n', costed, [7, 8, 9], 1],
    ['with sizes alone (100)', '3 2 100\n4 2\n4 1 3\n4 2\n', path, [1, 1, 1], 1],
    ['with ncon 1', '3 2 10 1\n7 2\n8 1 3\n9 2\n', path, [7, 8, 9], 1],
    ['with two weights a vertex', '3 2 10 2\n7 1 2\n8 2 1 3\n9 3 2\n', path, [7, 1, 8, 2, 9, 3], 2],
    ['with comments', '%a\n3 2 %b\n2\n%c\n 1 3\n2%d\n', path, [1, 1, 1], 1],
    ['with CRLF, tabs, blanks', ' 3\t2\r\n2 \r\n\t1  3\r\n2', path, [1, 1, 1], 1],
    ['with a loop, as gpmetis reads it', '3 3\n2 1 1\n1 3\n2\n', path, [1, 1, 1], 1],
    ['with an edge listed twice', '2 2 1\n2 3 2 4\n1 4 1 3\n', [[0, 1, 7]], [1, 1], 1],
  ])('%s is read', (_, text, edges, weights, constraintCount) => {
    expect(shown(text)).toEqual({ edges, weights, constraintCount })
  })

  it('has a vertex without edges for each empty line, even for a last one of which no byte is left', () => {
    const alone = { edges: [[0, 2, 1]], constraintCount: 1 }
    expect(shown('4 1\n3\n\n1\n\n')).toEqual({ ...alone, weights: [1, 1, 1, 1] })
    expect(shown('4 1\n3\n\n1\n')).toEqual({ ...alone, weights: [1, 1, 1, 1] })
    expect(shown('3 1\r\n3\r\n\r\n1')).toEqual({ ...alone, weights: [1, 1, 1] })
    expect(shown('2 0\n\n\n\n\n').edges).toEqual([])
  })

  it.each([
    ['nothing', '', 'a.graph: the file is empty'],
    ['no vertices', '0 0\n', 'line 1: there are no vertices'],
    ['a fmt of other digits', '2 1 2\n2\n1\n', 'line 1: fmt is 2;'],
    ['a fmt of four digits', '2 1 1000\n2\n1\n', 'line 1: fmt is 1000;'],
    ['ncon 0', '2 1 10 0\n2\n1\n', 'line 1: ncon is 0'],
    ['ncon without weights', '2 1 1 2\n2\n1\n', 'line 1: ncon is 2, but fmt 1 says'],
    ['too much in the header', '2 1 1 1 1\n2\n1\n', 'line 1: more than "vertices edges fmt ncon"'],
    ['too few lines', '4 1\n2\n1', 'line 3: the file ends after 2 of 4 vertices'],
    ['two lines too few', '5 1\n2\n1\n\n', 'line 4: the file ends after 3 of 5 vertices'],
    ['too many lines', '2 1\n2\n1\n\n2\n', 'line 5: more lines than the 2 vertices'],
    ['fewer edges than it says', '3 3\n2\n1 3\n2\n', 'line 1: the header says 3 edges, the lines list 2'],
    ['more edges than it says', '%\n3 1\n2\n1 3\n2\n', 'line 2: the header says 1 edges, the lines list 2'],
    ['neighbour 0', '2 1\n0\n1\n', 'line 2: neighbour 0 is out of range; vertices go from 1 to 2'],
    ['a neighbour too high', '2 1\n2\n3\n', 'line 3: neighbour 3 is out of range'],
    ['a word', '2 1\n2\none\n', 'line 3: a neighbour is "one", which is not a number'],
    ['a missing edge weight', '2 1 1\n2 5\n1\n', 'line 3: the weight of an edge is missing'],
    ['a negative edge weight', '2 1 1\n2 -5\n1 -5\n', 'line 2: the weight of an edge is -5'],
    ['a NaN edge weight', '2 1 1\n2 nan\n1 5\n', 'line 2: the weight of an edge is "nan"'],
    ['a missing vertex weight', '2 0 10 2\n1 1\n1\n', 'line 3: weight 2 of vertex 2 is missing'],
    ['an empty line where a weight is due', '2 0 10\n1\n\n', 'line 3: weight 1 of vertex 2 is missing'],
    ['an edge on one side only', '3 2\n2 3\n1\n2\n', 'line 2: vertex 1 lists 3, but 3 does not list 1'],
    ['an edge to a later line only', '3 1\n2 3\n\n\n', 'line 2: vertex 1 lists 2, but 2 does not list 1'],
    ['an edge on the other side only', '3 1\n\n1 3\n\n', 'line 3: vertex 2 lists 1, but 1 does not list 2'],
    [
      'weights that differ',
      '2 1 1\n2 5\n1 6\n',
      'line 2: the edge from 1 to 2 weighs 5 here, but 6 in line 3',
    ],
    ['a header that lies by billions', '3000000000 1\n2\n', 'line 1: 3000000000 vertices, more than a file'],
    ['edges by the billion', '2 3000000000\n2\n1\n', 'line 1: 3000000000 edges, more than a file'],
    ['weights by the billion', '2 1 10 2000000000\n2\n1\n', 'line 1: 4000000000 vertex weights, more than'],
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
})
