import { describe, expect, it } from 'vitest'
import { formatTable } from './format-table.js'
import { csvPieces, jsonLines, jsonPieces } from './format-text.js'
import type { Result } from './row-stream.js'
import { cutTo, printable, widthOf } from './text-width.js'
import type { Value } from './values.js'

function result(columns: readonly string[], rows: readonly (readonly Value[])[]): Result {
  return {
    columns,
    async *batches() {
      for (const row of rows) yield [row]
    },
  }
}

async function text(pieces: AsyncIterable<string>): Promise<string> {
  let all = ''
  for await (const piece of pieces) all += piece
  return all
}

describe('CSV', () => {
  it('quotes what needs it and tells NULL from empty', async () => {
    const rows = [
      ['a', 1, null, ''],
      ['x,y', 'say "hi"', 'two\nlines', true],
      [[1, 2], { k: 'v' }, -0.5, 'é'],
    ]
    expect(await text(csvPieces(result(['a', 'b,c', 'd', 'e'], rows)))).toBe(
      'a,"b,c",d,e\r\na,1,,""\r\n"x,y","say ""hi""","two\nlines",true\r\n"[1,2]","{""k"":""v""}",-0.5,é\r\n',
    )
  })

  it('has a head even without rows', async () => {
    expect(await text(csvPieces(result(['a'], [])))).toBe('a\r\n')
  })
})

describe('JSON', () => {
  it('is one array, whatever the number of rows', async () => {
    for (const count of [0, 1, 3]) {
      const rows = Array.from({ length: count }, (_, i) => [i, `t${i}`])
      const json = await text(jsonPieces(result(['n', 't'], rows)))
      expect(JSON.parse(json)).toEqual(rows.map(([n, t]) => ({ n, t })))
    }
  })

  it('is handed on in pieces, never as a whole', async () => {
    const rows = Array.from({ length: 300 }, () => ['x'.repeat(1_000)])
    for (const pieces of [jsonPieces, jsonLines, csvPieces]) {
      let longest = 0
      for await (const piece of pieces(result(['a'], rows))) longest = Math.max(longest, piece.length)
      expect(longest).toBeLessThan(70_000)
    }
  })
})

describe('a table on the terminal', () => {
  const lines = (columns: string[], rows: Value[][], width: number) =>
    formatTable(columns, rows, false, width).trimEnd().split('\n')

  it('is aligned, numbers to the right', () => {
    expect(
      lines(
        ['name', 'n'],
        [
          ['a', 5],
          ['longer', 12345],
          [null, null],
        ],
        80,
      ),
    ).toEqual(['name        n', '──────  ─────', 'a           5', 'longer  12345', '', '(3 rows)'])
  })

  it('takes room from the widest columns and never exceeds the width', () => {
    const rows = [['u'.repeat(200), 't'.repeat(50), 7]]
    const table = lines(['url', 'title', 'n'], rows, 60)
    for (const line of table) expect(widthOf(line)).toBeLessThanOrEqual(60)
    expect(table[2]).toMatch(/^u+… {2}t+… {2}7$/)
  })

  it('shows one block per row where columns would be too narrow', () => {
    const columns = Array.from({ length: 32 }, (_, i) => `column${i}`)
    const table = lines(columns, [columns.map(() => 'x'.repeat(500))], 80)
    expect(table).toHaveLength(34)
    for (const line of table) expect(widthOf(line)).toBeLessThanOrEqual(80)
  })

  it('says when it does not show all', () => {
    expect(formatTable(['a'], [[1]], true, 80)).toContain(
      '(the first 1 rows; --format csv or json gives all of them)',
    )
    expect(formatTable(['a'], [[1]], false, 80)).toContain('(1 row)')
  })

  it('lets no escape sequence of a page through', () => {
    const evil = 'a\x1b[31mred\x1b]0;title\x07\r\nb\u202Ec\u0000'
    const table = formatTable(['t'], [[evil]], false, 80)
    expect([...table.replaceAll('\n', '')].every(char => (char.codePointAt(0) ?? 0) >= 32)).toBe(true)
    expect(table).not.toContain('\u202E')
    expect(printable(evil)).toBe('a [31mred ]0;title b c ')
  })

  it('measures wide and combining characters', () => {
    expect(widthOf('日本')).toBe(4)
    expect(widthOf('e\u0301')).toBe(1)
    expect(cutTo('日本語', 5)).toBe('日本…')
    expect(cutTo('日本語', 4)).toBe('日…')
    expect(cutTo('abc', 3)).toBe('abc')
    expect(cutTo('abcd', 3)).toBe('ab…')
  })
})
