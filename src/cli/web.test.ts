import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { describe, expect, it } from 'vitest'

const ENTRY = `
import { webCommand } from '${new URL('./web.ts', import.meta.url).href}'
await webCommand().parseAsync(process.argv.slice(1), { from: 'user' })`

function web(...flags: string[]): ChildProcess {
  const options = ['--import', 'tsx', '--input-type=module', '--eval', ENTRY, '--', ...flags]
  return spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'pipe'] })
}

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

async function ended(child: ChildProcess): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', chunk => (stdout += chunk))
  child.stderr?.on('data', chunk => (stderr += chunk))
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

describe('orbweaver web', () => {
  it('prints the truth, seed first, and the seeds, by name or by address', async () => {
    const size = ['--sites', '3', '--pages', '50', '--port', '8080']
    const [names, addresses, seeds] = await Promise.all([
      ended(web(...size, '--truth')),
      ended(web(...size, '--truth', '--addresses')),
      ended(web(...size, '--seeds')),
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
    const answers = await Promise.all(wrong.map(flags => ended(web(...flags))))
    for (const [i, { code, stdout, stderr }] of answers.entries()) {
      expect({ code, stdout }, wrong[i].join(' ')).toEqual({ code: 4, stdout: '' })
      expect(stderr).toMatch(/^error: [^\n]+\n$/)
    }
  })

  it.each(['SIGINT', 'SIGHUP'] as const)(
    'names the crawl command, serves until %s, then says what was asked',
    async signal => {
      const child = web('--sites', '3', '--pages', '50')
      const end = ended(child)
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
      const { code, stderr } = await end
      expect(code).toBe(0)
      expect(stderr).toContain('requests 1,')
      expect(stderr).toContain('covered 1')
    },
  )
})
