/** A response without the fields that every such object has. The SDK checks nothing at run time. */
export class Misshapen extends Error {
  override readonly name = 'Misshapen'

  constructor(name: string) {
    super(`${name} is not as agreed`)
  }
}

/** The object itself, once it says that it is one of that kind. */
export function objectOf<T extends { object: string }>(value: T, kind: T['object']): T {
  if (value.object !== kind) throw new Misshapen('the kind of object')
  return value
}

export function text(value: string, name: string): string {
  if (typeof value !== 'string') throw new Misshapen(name)
  return value
}

/** A whole number that JavaScript holds exactly. */
export function whole(value: number, name: string): number {
  if (!Number.isSafeInteger(value)) throw new Misshapen(name)
  return value
}

export function optionalWhole(value: number | null | undefined, name: string): number | null {
  return value === null || value === undefined ? null : whole(value, name)
}

/** The amounts of a list that may be absent, added up. */
export function sumOf(parts: readonly { amount: number }[] | null): number {
  return (parts ?? []).reduce((total, part) => total + whole(part.amount, 'amount'), 0)
}

/** Seconds since 1970 as the processor counts. */
export function moment(seconds: number, name: string): Date {
  return new Date(whole(seconds, name) * 1000)
}

export function optionalMoment(seconds: number | null | undefined, name: string): Date | null {
  return seconds === null || seconds === undefined ? null : moment(seconds, name)
}

/** The id of something that came whole or as its id alone. */
export function idOf(value: string | { id: string }, name: string): string {
  return text(typeof value === 'object' && value !== null ? value.id : value, name)
}

export function optionalId(
  value: string | { id: string } | null | undefined,
  name: string,
): string | null {
  return value === null || value === undefined ? null : idOf(value, name)
}

export function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}
