/** Makes one attempt to connect to one address, with TLS if the URL requires it. */
import { isIP, connect as netConnect, type Socket, type TcpNetConnectOpts } from 'node:net'
import * as tls from 'node:tls'
import type { Clock, FetchLimits, Millis, StopSignal } from '../../../model/index.js'
import type { Endpoint } from '../dns/index.js'
import type { AddressGuard } from './address-guard.js'
import {
  type ConnectFailure,
  connectTimeout,
  forbiddenAddress,
  tcpFailure,
  tlsFailure,
} from './connect-failure.js'
import { Connection, inboxForSocket } from './connection.js'
import { Outbox } from './outbox.js'

export interface OpenTarget {
  /** As in the URL. */
  readonly host: string
  readonly port: number
  readonly secure: boolean
}

export interface OpenerOptions {
  readonly clock: Clock
  /** Checks the connected address again, unless the endpoint is trusted. */
  readonly guard: AddressGuard
  readonly limits: FetchLimits
  readonly localAddress?: string
  /** PEM of additional trusted authorities. */
  readonly ca?: string
}

/** Receives the socket's bytes once there is a connection. */
interface Tap {
  connection: Connection | null
}

export type Opened = { readonly ok: true; readonly connection: Connection } | ConnectFailure

export class SocketOpener {
  readonly #options: OpenerOptions
  readonly #outbox: Outbox
  /** TLS sessions for resumption by host and port, oldest first. */
  readonly #sessions = new Map<string, Buffer>()
  /** Made once, because that loads all root certificates. */
  #context: tls.SecureContext | null = null

  constructor(options: OpenerOptions) {
    this.#options = options
    this.#outbox = new Outbox(options.clock, options.limits.outboxMs)
  }

  open(target: OpenTarget, endpoint: Endpoint, timeoutMs: Millis, signal: StopSignal): Promise<Opened> {
    return new Promise(resolve => {
      const { clock } = this.#options
      const startedAt = clock.monotonic()
      const tap: Tap = { connection: null }
      const socket = this.#socket(target, endpoint, tap)
      const settle = (opened: Opened): void => {
        cancel()
        signal.removeEventListener('abort', giveUp)
        if (!opened.ok) socket.destroy()
        resolve(opened)
      }
      const giveUp = (): void => settle(connectTimeout(target.host, endpoint.address))
      const cancel = clock.after(timeoutMs, giveUp)
      signal.addEventListener('abort', giveUp, { once: true })
      watchConnecting(socket, target, endpoint, this.#options.guard, settle)
      socket.once(target.secure ? 'secureConnect' : 'connect', () => {
        if (socket.destroyed) return
        const connectMs = clock.monotonic() - startedAt
        const { address } = endpoint
        tap.connection = new Connection(socket, this.#outbox, clock, address, target.secure, connectMs)
        settle({ ok: true, connection: tap.connection })
      })
    })
  }

  #socket(target: OpenTarget, endpoint: Endpoint, tap: Tap): Socket {
    const inbox = inboxForSocket()
    const { localAddress } = this.#options
    const options: TcpNetConnectOpts = {
      host: endpoint.address,
      port: endpoint.port ?? target.port,
      noDelay: true,
      onread: { buffer: inbox, callback: count => tap.connection?.receive(inbox, count) ?? false },
      ...(localAddress === undefined ? {} : { localAddress }),
    }
    return target.secure ? this.#tlsSocket(target, options) : netConnect(options)
  }

  #tlsSocket(target: OpenTarget, options: TcpNetConnectOpts): Socket {
    const name = certificateName(target.host)
    const key = `${target.host}:${target.port}`
    const session = this.#sessions.get(key)
    const tlsOptions: tls.ConnectionOptions = {
      ...options,
      secureContext: this.#secureContext(),
      ALPNProtocols: ['http/1.1'],
      servername: isIP(name) === 0 ? name : '',
      checkServerIdentity: (_, certificate) => tls.checkServerIdentity(name, certificate),
      ...(session === undefined ? {} : { session }),
    }
    const socket = tls.connect(tlsOptions)
    socket.on('session', ticket => this.#keepSession(key, ticket))
    return socket
  }

  #secureContext(): tls.SecureContext {
    const { ca } = this.#options
    this.#context ??= tls.createSecureContext(ca === undefined ? {} : { ca: [...tls.rootCertificates, ca] })
    return this.#context
  }

  #keepSession(key: string, session: Buffer): void {
    this.#sessions.delete(key)
    this.#sessions.set(key, session)
    const oldest = this.#sessions.keys().next().value as string
    if (this.#sessions.size > this.#options.limits.tlsSessions) this.#sessions.delete(oldest)
  }
}

/** Reports failures before the TCP connection, of the address check, and in the handshake. */
function watchConnecting(
  socket: Socket,
  target: OpenTarget,
  endpoint: Endpoint,
  guard: AddressGuard,
  fail: (failure: ConnectFailure) => void,
): void {
  const { host } = target
  let connected = false
  // Never removed: an unhandled error event would end the process.
  socket.on('error', (error: NodeJS.ErrnoException) =>
    fail(connected ? tlsFailure(host, error) : tcpFailure(host, endpoint.address, error)),
  )
  socket.once('connect', () => {
    connected = true
    const peer = socket.remoteAddress ?? ''
    const reason = endpoint.trusted ? null : guard(peer)
    if (reason !== null) fail(forbiddenAddress(host, peer, reason))
  })
}

/** The name in a certificate has no brackets and no final dot. */
function certificateName(host: string): string {
  if (host.startsWith('[')) return host.slice(1, -1)
  return host.endsWith('.') ? host.slice(0, -1) : host
}
