/**
 * Measures and cuts text for a terminal. Text from the web may contain anything, escape sequences included.
 */

// East Asian characters and emoji take two columns. These are the common ranges, not the full Unicode table.
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
]

/** Line breaks, escape sequences and direction marks become spaces: none may reach a terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
}

export function widthOf(text: string): number {
  let width = 0
  for (const char of text) width += charWidth(char)
  return width
}

/** `text` cut to `width` columns, the last of them an ellipsis where something is missing. */
export function cutTo(text: string, width: number): string {
  let used = 0
  let end = 0
  for (const char of text) {
    const next = used + charWidth(char)
    if (next > width) {
      return `${dropLast(text.slice(0, end), used - (width - 1))}…`
    }
    used = next
    end += char.length
  }
  return text
}

/** `text` without the characters that fill the last `columns` columns. */
function dropLast(text: string, columns: number): string {
  const chars = [...text]
  let dropped = 0
  while (dropped < columns && chars.length > 0) dropped += charWidth(chars.pop() ?? '')
  return chars.join('')
}

function charWidth(char: string): number {
  const code = char.codePointAt(0) ?? 0
  if (code < 0x300) return 1
  if (/^\p{M}$/u.test(char)) return 0
  return WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1
}
