import { afterEach, expect, it } from 'vitest'
import { MADE_AT, MadeCrawl, type MadePage } from '../../../test/kit/made-crawl.js'
import { compareCrawls } from './compare.js'

const cleanup: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const task of cleanup.splice(0)) await task()
})

async function crawlOf(pages: readonly MadePage[]): Promise<string> {
  const crawl = new MadeCrawl()
  cleanup.push(() => crawl.remove())
  await crawl.add(pages)
  await crawl.finish()
  return crawl.dir
}

const url = (name: string) => `http://a.test/${name}`
const page = (name: string, body = 'same'): MadePage => ({ url: url(name), body })
const failed = (name: string, status: number): MadePage => ({
  url: url(name),
  status,
  outcome: status < 500 ? 'HTTP_CLIENT_ERROR' : 'HTTP_SERVER_ERROR',
})

it.each([2, 1_000_000])('counts what became of pages, %i rows at a time', async partRows => {
  const before = await crawlOf([
    ...['same', 'edited', 'gone', 'dropped', 'broken', 'moved', 'forgotten'].map(name => page(name)),
    failed('repaired', 500),
    failed('never', 404),
  ])
  const now = await crawlOf([
    page('same'),
    page('edited', 'other'),
    failed('gone', 404),
    failed('dropped', 410),
    failed('broken', 500),
    { url: url('moved'), status: 301, outcome: 'REDIRECT', redirect: url('same') },
    page('repaired'),
    failed('never', 404),
    page('added'),
    // Fetched twice after a crash: the later copy counts, once.
    { ...page('twice', 'one'), fetchedAt: MADE_AT },
    { ...page('twice', 'two'), fetchedAt: MADE_AT + 1 },
  ])
  expect(await compareCrawls(before, now, partRows)).toEqual({
    new: 3,
    changed: 1,
    unchanged: 1,
    gone: 2,
    noPage: 3,
  })
  expect(await compareCrawls(now, now, partRows)).toMatchObject({ new: 0, changed: 0, unchanged: 5, gone: 0 })
})
