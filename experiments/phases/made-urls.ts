/** Generates URLs of a national web: hosts by a power law, names and paths of random words and numbers. */
import type { Random } from '../../src/model/index.js'

export interface MadeHost {
  readonly name: string
  readonly urls: number
}

/** The mean number of URLs per host. */
const MEAN_URLS = 120
/** The exponent of the power law: the largest of fifty thousand hosts has two per cent of all URLs. */
const LAW = 0.8
const ENDINGS = ['.co.th', '.co.th', '.ac.th', '.ac.th', '.go.th', '.or.th', '.in.th', '.com', '.net']
const LETTERS = 'etaoinsrhldcumfpgwybvkxjqz'
const FOLDERS = ['news', 'article', 'product', 'forum', 'staff', 'library', 'doc', 'show', 'th', 'en']
const FILES = ['.html', '.htm', '.php', '.asp', '/']

export function madeHosts(urls: number, random: Random): MadeHost[] {
  const count = Math.max(10, Math.round(urls / MEAN_URLS))
  let shares = 0
  for (let rank = 1; rank <= count; rank++) shares += rank ** -LAW
  const hosts: MadeHost[] = []
  let left = urls
  for (let rank = 1; rank <= count && left > 0; rank++) {
    const size =
      rank === count ? left : Math.min(left, Math.max(1, Math.round((urls * rank ** -LAW) / shares)))
    hosts.push({
      name: `${random.next() < 0.6 ? 'www.' : ''}${word(random)}${pick(ENDINGS, random)}`,
      urls: size,
    })
    left -= size
  }
  return hosts
}

export function madeUrl({ name }: MadeHost, page: number, random: Random): string {
  if (page === 0) return `http://${name}/`
  const folder = pick(FOLDERS, random)
  return `http://${name}/${folder}/${word(random)}${Math.floor(random.next() * 10_000)}${pick(FILES, random)}`
}

/** A word in which the first of `LETTERS` are the most frequent. */
function word(random: Random): string {
  const length = 3 + Math.floor(random.next() * 8)
  let text = ''
  for (let i = 0; i < length; i++) text += LETTERS[Math.floor(LETTERS.length * random.next() ** 2)]
  return text
}

function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random.next() * items.length)]!
}
