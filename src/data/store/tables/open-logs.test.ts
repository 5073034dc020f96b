import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { pageLog } from '../../../../test/kit/row-logs.js'
import { sampleRow } from '../../../../test/kit/store-samples.js'
import { LinkKind } from '../../../model/index.js'
import { ByteSink } from '../bytes/index.js'
import { appendLinks } from './link-rows.js'
import { hostsInLogs, netsInLogs } from './open-logs.js'
import { segmentBuffers } from './segment.js'

const HEADER = { pack: 'p1', agent: 'agent-1', warc: '', baseOffset: 0 }

function written(name: string, bytes: Buffer) {
  const path = join(mkdtempSync(join(tmpdir(), 'orb-open-logs-')), name)
  writeFileSync(path, bytes)
  return { path, committedBytes: bytes.length }
}

function linkLog(pages: Readonly<Record<string, readonly string[]>>): Buffer {
  const sink = new ByteSink(1)
  for (const [url, targets] of Object.entries(pages))
    appendLinks(sink, url, {
      targets,
      kinds: targets.map(target => (target.includes('#') ? LinkKind.nofollow : 0)),
    })
  return Buffer.concat(segmentBuffers({ ...HEADER, table: 'links' }, sink.view()))
}

it('links of packs are known while their log is still being written, up to what is committed', () => {
  const first = linkLog({
    'http://a.test/1': ['http://b.test/', 'http://b.test/x', 'http://c.test/', 'http://d.test/#nofollow'],
    'http://a.test/2': ['http://c.test/', 'http://b.test/'],
  })
  const uncommitted = linkLog({ 'http://a.test/3': ['http://e.test/'] })
  const log = { ...written('links.rows', Buffer.concat([first, uncommitted])), committedBytes: first.length }
  expect([...netsInLogs([log], 1_000_000)]).toEqual(['2\ta.test b.test c.test'])
})

it('no more of them is read than was allowed, and what has become Parquet meanwhile is not missed', () => {
  const logs = ['a', 'b'].map(site =>
    written('links.rows', linkLog({ [`http://${site}.test/`]: ['http://c.test/'] })),
  )
  const gone = { path: `${logs[0].path}-gone`, committedBytes: 1 }
  expect([...netsInLogs([gone, ...logs], logs[0].committedBytes + 1)]).toEqual(['1\ta.test c.test'])
  expect([...netsInLogs([gone, ...logs], 1_000_000)]).toEqual(['1\ta.test c.test', '1\tb.test c.test'])
})

it('what a log of pages says of hosts is found behind its rows and texts', () => {
  const line = Buffer.from('a.test\t10.0.0.1\t12\t0\t0')
  const size = Buffer.alloc(4)
  size.writeUInt32LE(4 + line.length)
  const pages = pageLog([sampleRow()], HEADER)
  const hosts = Buffer.concat(segmentBuffers({ ...HEADER, table: 'hosts' }, Buffer.concat([size, line])))
  const log = written('pages.rows', Buffer.concat([pages, hosts]))
  expect([...hostsInLogs([log])]).toEqual(['a.test\t10.0.0.1\tagent-1\t12\t0\t0\t0'])
})
