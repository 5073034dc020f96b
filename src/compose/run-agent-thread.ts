/** The thread of one agent of a crawl with several, or of an agent that joined a crawl. */

import { MessagePort, parentPort, type TransferListItem, workerData } from 'node:worker_threads'
import { type Bus, portBus } from '../bus/index.js'
import { FencedError } from '../cluster/agent/pack/index.js'
import { type Ledger, LedgerError } from '../ledger/index.js'
import { portLedger } from '../ledger/remote/index.js'
import type { Guest } from '../page/guest/index.js'
import type { AgentThreadData, FromAgent, ToAgent } from '../runtime/agents/index.js'
import { Log } from '../runtime/directory/index.js'
import { PageSender, StoreWorker } from '../runtime/threads/index.js'
import { AgentHost } from './agent-host.js'
import { RUN_AGENT_THREAD_TELL_MS } from './limits.js'
import { openGuest } from './open-guest.js'
import { openWhenThere } from './open-ledger.js'
import { startThread } from './start-thread.js'
import { systemClock } from './system-clock.js'

/** Fault tests put a faulty ledger or bus in the place of the real one. */
interface AgentThreadPorts {
  ledger(real: Ledger): Ledger
  bus(real: Bus): Bus
}

const REAL: AgentThreadPorts = { ledger: real => real, bus: real => real }

export async function runAgentThread(ports = REAL): Promise<void> {
  const { order, ledger: wire, bus, pagesWanted } = workerData as AgentThreadData
  const { config, directory } = order
  const tell = (message: FromAgent, transfer: readonly TransferListItem[] = []) =>
    parentPort!.postMessage(message, transfer)
  const sender =
    pagesWanted && new PageSender(pagesWanted, (page, transfer) => tell({ kind: 'page', page }, transfer))
  const worker = new StoreWorker(startThread)
  const log = new Log(directory, systemClock)
  const ledger = wire instanceof MessagePort ? portLedger(wire) : await openWhenThere(wire)
  let guest: Guest | null = null
  try {
    guest = await openGuest(config)
    const host = await AgentHost.open(order, {
      ledger: ports.ledger(ledger),
      bus: ports.bus(portBus(bus)),
      guest,
      readPage: sender && (page => sender.send(page)),
      log,
      worker,
      onDiskTrouble: detail => tell({ kind: 'disk', detail }),
    })
    parentPort!.on('message', (message: ToAgent) => obey(message, host, sender))
    const keepTelling = (): void => {
      tell({ kind: 'progress', progress: host.progress() })
      cancel = systemClock.after(RUN_AGENT_THREAD_TELL_MS, keepTelling)
    }
    let cancel = systemClock.after(RUN_AGENT_THREAD_TELL_MS, keepTelling)
    const end = await host.run().finally(() => cancel())
    tell({ kind: 'ended', end, progress: host.progress() })
  } catch (error) {
    tell({ kind: 'failed', ...failureOf(error as Error) })
  } finally {
    await guest?.close()
    await worker.close()
    log.close()
    // An open port would keep the thread alive.
    await ledger.close()
    bus.close()
    parentPort!.close()
  }
}

function obey(message: ToAgent, host: AgentHost, sender: PageSender | null): void {
  switch (message.kind) {
    case 'stop':
      host.stop()
      break
    case 'disk':
      host.setDiskTrouble(message.trouble)
      break
    case 'page-taken':
      sender?.taken()
  }
}

function failureOf(error: Error): Omit<FromAgent & { kind: 'failed' }, 'kind'> {
  return {
    message: error.message,
    stack: error.stack ?? '',
    isFenced: error instanceof FencedError,
    ledger: error instanceof LedgerError ? error.kind : null,
  }
}
