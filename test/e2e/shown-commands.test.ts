import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { BIN, orbweaver } from '../kit/orbweaver.js'
import { page, SmallWeb } from '../kit/small-web.js'

/** What was shown, as somebody pastes it into a shell. */
function paste(command: string, cwd: string) {
  const script = `orbweaver() { "${process.execPath}" "${BIN}" "$@"; }\n${command}`
  return promisify(execFile)('sh', ['-c', script], { cwd })
}

it('commands that the summary shows can be pasted, whatever the directory is called', async () => {
  const web = await SmallWeb.listen({
    'one.test': path =>
      path === '/' ? page('One', 'first', ['/two', '/gone']) : path === '/two' ? page('Two', 'second') : null,
  })
  const here = mkdtempSync(join(tmpdir(), 'orb-'))
  const crawl = ['crawl', 'http://one.test/', ...web.flags, '--out', "Anna's crawl (1)"]
  const end = await orbweaver([...crawl, '--max-pages', '1'], {}, here)
  expect(end.code, end.stderr).toBe(10)
  const shown = (label: string, text: string) =>
    text
      .split('\n')
      .find(line => line.startsWith(label))!
      .slice(label.length)
  expect((await paste(shown('Ask it:', end.stderr), here)).stdout).toContain('One')
  const again = await orbweaver(crawl, {}, here)
  expect(again.code).toBe(4)
  const { stderr } = await paste(/"(orbweaver resume .*?)", or/.exec(again.stderr)![1], here).catch(
    error => error,
  )
  expect(stderr).toContain('Page limit reached')
  await orbweaver(['set', "Anna's crawl (1)", 'maxPages='], {}, here)
  const done = await paste(shown('Go on:', end.stderr), here)
  await web.close()
  expect(done.stderr).toContain('Done: 2 pages')
  expect((await paste(shown('What failed:', done.stderr), here)).stdout).toContain('http://one.test/gone')
})
