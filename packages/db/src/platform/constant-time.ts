import { timingSafeEqual } from 'node:crypto'

/** Whether two secrets or hashes are equal, in a time that depends on their lengths alone. */
export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
