/** A generated web and a database of PostgreSQL for crawls by several processes, which all end with it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { type ServedRequest, truth, type WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { checkWarcs, urlsWith } from './crawled.js'
import { type RunningCommand, start } from './orbweaver.js'
import { PostgresServer } from './postgres.js'

const LEASE_MS = 3_000
export const SHORT_LEASES = { ORBWEAVER_FAULTS: `lease=${LEASE_MS}` }

export class ClusterWeb {
  readonly postgres: PostgresServer
  readonly web: WebServer
  /** Every URL that must be stored, sorted. */
  readonly expected: readonly string[]
  readonly #running: RunningCommand[] = []

  static async start(plan: WebPlan, onServed?: (served: ServedRequest) => void): Promise<ClusterWeb> {
    const postgres = await PostgresServer.start()
    const web = await WebServer.listen(plan, { clock: systemClock, port: 0, ...(onServed && { onServed }) })
    return new ClusterWeb(postgres, web, [...truth(plan, web.authority)].sort())
  }

  private constructor(postgres: PostgresServer, web: WebServer, expected: readonly string[]) {
    this.postgres = postgres
    this.web = web
    this.expected = expected
  }

  async close(): Promise<void> {
    for (const { process } of this.#running) process.kill('SIGKILL')
    await this.web.close()
    await this.postgres.remove()
  }

  named(name: string): string[] {
    return ['--ledger', this.postgres.url(), '--name', name]
  }

  begin(args: readonly string[]): RunningCommand {
    const command = start(args, SHORT_LEASES)
    this.#running.push(command)
    return command
  }

  async untilAsked(requests: number, { process, said }: RunningCommand): Promise<void> {
    while (this.web.counts().requests < requests) {
      expect(process.exitCode, said()).toBeNull()
      await sleep(20)
    }
  }

  /** Every page is in the tables and in the archive, once. */
  async expectWhole(store: string): Promise<void> {
    expect((await urlsWith(store, 'OK')).sort()).toEqual(this.expected)
    const check = await checkWarcs(store)
    expect(check.problems).toEqual([])
    expect([...check.pages].sort()).toEqual(this.expected)
  }
}
