/** Asks the guest which new links join the crawl, and how soon they are fetched. */
import type { Guest, Rating } from '../../../page/guest/index.js'
import { RATED_URLS } from '../../limits.js'

/** By URL. A URL that was not asked for joins the crawl with score 0. */
export type Ratings = ReadonlyMap<string, Rating>

/** Null: no guest rates links. Without a promise where the guest needs none. */
export function rateLinks(
  guest: Guest | null,
  urls: () => readonly string[],
): Ratings | null | Promise<Ratings> {
  if (guest === null || !guest.rates) return null
  const asked = urls()
  const first = guest.rate(asked.slice(0, RATED_URLS))
  if (!(first instanceof Promise) && asked.length <= RATED_URLS) return ratingsOf(asked, first)
  return rateAll(guest, asked, first)
}

async function rateAll(
  guest: Guest,
  urls: readonly string[],
  first: readonly Rating[] | Promise<readonly Rating[]>,
): Promise<Ratings> {
  const ratings = [...(await first)]
  for (let from = RATED_URLS; from < urls.length; from += RATED_URLS)
    ratings.push(...(await guest.rate(urls.slice(from, from + RATED_URLS))))
  return ratingsOf(urls, ratings)
}

function ratingsOf(urls: readonly string[], ratings: readonly Rating[]): Ratings {
  return new Map(urls.map((url, i) => [url, ratings[i]]))
}
