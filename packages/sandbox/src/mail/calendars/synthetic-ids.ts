import { decodeId, encodeId } from '../ids.ts'

const low = 2n ** 32n

/**
 * The id of something inside an event: an occurrence in queries, a component in availability
 * answers. No update or destroy takes it.
 */
export function syntheticId(number: number, eventId: string): string {
  return encodeId(BigInt(number + 1) * low + (decodeId(eventId) ?? 0n))
}

export function isSynthetic(id: string): boolean {
  return (decodeId(id) ?? 0n) >= low
}

/** The event of an id, and the number in it if it is synthetic. Undefined for what is no id. */
export function partsOf(
  id: string,
): { readonly eventId: string; readonly number: number | undefined } | undefined {
  const number = decodeId(id)
  if (number === undefined) return undefined
  const prefix = number / low
  return { eventId: encodeId(number % low), number: prefix === 0n ? undefined : Number(prefix) - 1 }
}
