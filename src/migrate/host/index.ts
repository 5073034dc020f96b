/**
 * migrate/host/: the runtime at the owner of a server (the papers' crawler runtime environment). In: a
 * policy, bundles over HTTP. Out: parts of returns. Always: only homes of the allow-list, only origins of the
 * owner, each bundle once, no request to a source outside of a lease that the home has shown, and a line in
 * the audit log for everything that was accepted, refused or sent.
 */
export { readAudit } from './audit-log.js'
export { HostServer } from './host-server.js'
export { HostTours, type SiteSource } from './host-tours.js'
export { allowHome, initHost, openHost } from './policy.js'
