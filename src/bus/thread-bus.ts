/** The bus between threads: each agent has a port to the main thread, which relays messages. */
import type { MessagePort } from 'node:worker_threads'
import type { Incarnation } from '../ledger/index.js'
import type { Bus, BusMessage, LocalBus } from './bus.js'

/** The agent's end. */
export function portBus(port: MessagePort): Bus {
  return {
    send: message => port.postMessage(message),
    subscribe(hear) {
      port.on('message', hear)
      return () => port.off('message', hear)
    },
  }
}

/** The main thread's end; returns the function that closes it. An agent gets only its own messages. */
export function relayBus(bus: LocalBus, port: MessagePort, incarnation: Incarnation): () => void {
  const end = bus.join()
  const unsubscribe = end.subscribe(message => {
    if (concerns(message, incarnation)) port.postMessage(message)
  })
  port.on('message', (message: BusMessage) => end.send(message))
  return () => {
    unsubscribe()
    bus.leave(end)
    port.close()
  }
}

function concerns(message: BusMessage, incarnation: Incarnation): boolean {
  if (message.kind === 'free') return false
  return !('to' in message) || message.to === incarnation
}
