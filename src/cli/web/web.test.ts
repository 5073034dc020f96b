import { once } from 'node:events'
import { get } from 'node:http'
import { describe, expect, it } from 'vitest'
import { orbweaver, start } from '../../../test/kit/orbweaver.js'

const web = (...flags: string[]) => orbweaver(['web', ...flags])

describe('orbweaver web', () => {
  it('prints the truth, seed first, and the seeds, by name or by address', async () => {
    const size = ['--sites', '3', '--pages', '50', '--port', '8080']
    const [names, addresses, seeds] = await Promise.all([
      web(...size, '--truth'),
      web(...size, '--truth', '--addresses'),
      web(...size, '--seeds'),
    ])
    expect(names).toMatchObject({ code: 0, stderr: '' })
    const urls = names.stdout.trimEnd().split('\n')
    expect(urls[0]).toBe('http://s00.test:8080/')
    expect(urls.length).toBeGreaterThanOrEqual(50)
    expect(addresses.stdout.split('\n')[0]).toBe('http://127.0.1.1:8080/')
    expect(seeds.stdout).toBe('http://s00.test:8080/\nhttp://s01.test:8080/\nhttp://s02.test:8080/\n')
  })

  it('refuses nonsense in one line with exit code 4', async () => {
    const wrong = [
      ['--truth'],
      ['--sites', '10', '--pages', '5'],
      ['--pages', 'many'],
      ['--fail', '1.5'],
      ['--sites', '2.5'],
      ['--slow-site', '99=5'],
      ['--log', '/nonexistent/requests.jsonl'],
      ['--sites', '9000', '--addresses'],
    ]
    const answers = await Promise.all(wrong.map(flags => web(...flags)))
    for (const [i, { code, stdout, stderr }] of answers.entries()) {
      expect({ code, stdout }, wrong[i].join(' ')).toEqual({ code: 4, stdout: '' })
      expect(stderr).toMatch(/^orbweaver: [^\n]+\n$/)
    }
  })

  it.each(['SIGINT', 'SIGHUP'] as const)(
    'names the crawl command, serves until %s, then says what was asked',
    async signal => {
      const { process: child, ended } = start(['web', '--sites', '3', '--pages', '50'])
      const line = String((await once(child.stderr!, 'data'))[0])
      const port =
        /orbweaver crawl http:\/\/s00\.test:(\d+)\/ --scope any --resolve '\*\.test=127\.0\.0\.1'/.exec(
          line,
        )?.[1]
      const options = { host: '127.0.0.1', port, path: '/', headers: { host: 's01.test' } }
      const status = await new Promise(resolve => {
        get(options, response => response.resume().on('end', () => resolve(response.statusCode)))
      })
      expect(status).toBe(200)
      child.kill(signal)
      const { code, stderr } = await ended
      expect(code).toBe(0)
      expect(stderr).toContain('requests 1,')
      expect(stderr).toContain('covered 1')
    },
  )
})
