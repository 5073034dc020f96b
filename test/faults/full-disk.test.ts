import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { checkWarcs, urlsWith } from '../kit/crawled.js'
import { GENERATED, temporary } from '../kit/orbweaver.js'

const BIN = fileURLToPath(new URL('../../bin/orbweaver.js', import.meta.url))
const DISK = 3

/** Runs a script of the shell: `$0` is node, `$1` the command, then `args`. */
async function shell(wrapper: readonly string[], script: string, args: readonly string[]) {
  const [command, ...rest] = [...wrapper, 'bash', '-c', script, process.execPath, BIN, ...args]
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      said += chunk
    })
  const [code] = await once(child, 'close')
  return { code: code as number | null, said }
}

/** A user without rights may mount too, where the kernel gives namespaces to users. */
const OWN_MOUNTS = ['unshare', '--map-root-user', '--mount']

/** Whether we can have a file system of our own: a small one, that fills up for real. */
function mayMount(): boolean {
  const folder = temporary('probe')
  mkdirSync(folder)
  const [command, ...args] = [...OWN_MOUNTS, 'mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]
  return spawnSync(command, args).status === 0
}

/**
 * A crawl on a disk of some megabytes, resumed while it is still full, then with room; the result is brought
 * out.
 */
const ON_SMALL_DISK = `
bin=$1; disk=$2; result=$3; size=$4; shift 4
mount -t tmpfs -o "size=$size" tmpfs "$disk" || exit 90
"$0" "$bin" crawl "$@" --out "$disk/crawl"; echo "first: $?"
df --output=avail "$disk" | tail -n 1 | xargs echo "left:"
"$0" "$bin" resume "$disk/crawl"; echo "still full: $?"
mount -o remount,size=400m "$disk" || exit 91
"$0" "$bin" resume "$disk/crawl"; echo "with room: $?"
cp -r "$disk/crawl" "$result"`

/**
 * The same with files that may not grow: the write that passes the limit is cut short, the next refused
 * (EFBIG).
 */
const WITH_SMALL_FILES = `
bin=$1; result=$3; blocks=$4; shift 4
limited() { (trap '' XFSZ; ulimit -f "$blocks"; exec "$@"); }
limited "$0" "$bin" crawl "$@" --out "$result"; echo "first: $?"
limited "$0" "$bin" resume "$result"; echo "still full: $?"
"$0" "$bin" resume "$result"; echo "with room: $?"`

describe('a disk that is full', () => {
  const plan = new WebPlan({ sites: 6, pages: 1_000, seed: 31 })
  let server: WebServer
  let expected: string[]
  beforeAll(async () => {
    server = await WebServer.listen(plan, { clock: systemClock, port: 0 })
    expected = [...truth(plan, server.authority)].sort()
  })
  afterAll(() => server.close())

  /**
   * What was said; the crawl met the end of its disk, stopped with its code, and was whole after `resume`
   * with room.
   */
  const crawlAndResume = async (
    wrapper: readonly string[],
    script: string,
    size: string,
    minFree: string,
  ): Promise<string> => {
    const disk = temporary('disk')
    const result = temporary('crawl')
    mkdirSync(disk)
    const flags = [...GENERATED, '--max-wait', '2', '--min-free-disk', minFree]
    const { code, said } = await shell(wrapper, script, [disk, result, size, server.seed, ...flags])
    expect(code, said).toBe(0)
    expect(said).toContain(`first: ${DISK}`)
    expect(said).toContain(`still full: ${DISK}`)
    expect(said).toContain('with room: 0')
    const complaints = said.split('\n').filter(line => /^orbweaver: .*(full|failing)/.test(line))
    expect(complaints, said).toHaveLength(2)
    for (const line of complaints) expect(line).toContain('free some space, then resume')
    expect(said).not.toContain('this is a bug')
    expect((await urlsWith(result, 'OK')).sort()).toEqual(expected)
    const check = await checkWarcs(result)
    expect(check.problems).toEqual([])
    expect([...check.pages].sort()).toEqual(expected)
    return said
  }

  it('files that may not grow: one clear line, its exit code, and resume ends with every page, each once', async () => {
    await crawlAndResume([], WITH_SMALL_FILES, '600', '1k')
  })

  // Where nothing can be mounted the same promises are kept with the limit on files alone, in other sizes.
  const mounts = mayMount()
  const sizes = mounts ? ['2500k', '6m'] : ['200', '900']
  it.each(sizes)(
    'filled to the last byte, %s: its exit code, and resume ends with every page, each once',
    { tags: 'deep' },
    async size => {
      const wrapper = mounts ? OWN_MOUNTS : []
      await crawlAndResume(wrapper, mounts ? ON_SMALL_DISK : WITH_SMALL_FILES, size, '1k')
    },
  )

  it('nearly full: stops fetching before it is, says why, and resume ends with every page, each once', {
    tags: 'deep',
  }, async () => {
    // Without a mount there is no small disk; then all there is counts as too little until the end.
    if (!mounts) {
      const { said } = await shell([], '"$0" "$@"; echo "code: $?"', [
        'crawl',
        server.seed,
        ...GENERATED,
        ...['--max-wait', '2', '--min-free-disk', '8000000T', '--out', temporary('crawl')],
      ])
      expect(said).toContain(`code: ${DISK}`)
      expect(said).toMatch(/the disk is nearly full .*--min-free-disk wants/)
      return
    }
    const said = await crawlAndResume(OWN_MOUNTS, ON_SMALL_DISK, '20m', '14m')
    expect(said).toContain('--min-free-disk wants 14 MB')
    // What was known when it paused was stored: the disk never was full.
    expect(Number(/left: (\d+)/.exec(said)?.[1])).toBeGreaterThan(1_000)
  })
})
