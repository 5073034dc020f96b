/**
 * page/guest/: which pages are kept, and what of them (port Guest). In: the facts of a fetched page, and the
 * page for those who ask for it. Out: a verdict, the kept part, rows. Always: a guest that fails costs its
 * page a verdict and nothing else; code that is not trusted runs in a sandbox only.
 */
export type {
  Facts,
  Guest,
  GuestFailure,
  GuestPage,
  JudgedPage,
  Judgement,
  PageElement,
  Rating,
} from './guest.js'
export { checkGuest, defineGuest, type GuestModule, guestIn } from './guest-module.js'
export { isTypeScript, readGuestCode } from './guest-source.js'
export type {
  Item,
  ItemRow,
  ItemType,
  ItemValue,
} from './items.js'
export { KeywordGuest } from './keyword-guest.js'
export { SandboxedGuest } from './sandboxed-guest.js'
export type { SelectionSettings } from './selection.js'
export { TrustedGuest } from './trusted-guest.js'
export { type Kept, keptBy, type Verdict } from './verdict.js'
