import type { Figures } from '../measure/slots.ts'

/** One line of the table. */
export interface RowResult {
  row: string
  what: string
  peer: string
  /** `x` for ratios, `exponent` for how cost grows with size, else a unit of time or a rate. */
  unit: 'x' | 'ms' | 'per second' | 'exponent'
  direction: 'at least' | 'at most'
  reach: number
  beyond: number
  /** One value per round, in order; empty when the row could not be measured. */
  values: readonly number[]
  /** The peer against itself, per round, where it was measured twice. */
  nullTest?: readonly number[]
  /** Why there are no values, or what has to be known to read them. */
  note?: string
  /** Medians behind the ratio, by name of what was measured. */
  figures?: Readonly<Record<string, Figures>>
}

/** A row before it is measured. */
export type Bars = Omit<RowResult, 'values' | 'nullTest' | 'note' | 'figures'>

/** The row with what was measured; when that failed, without values and with the reason. */
export async function attempted(
  bars: Bars,
  measure: () => Promise<Omit<RowResult, keyof Bars>>,
): Promise<RowResult> {
  try {
    return { ...bars, ...(await measure()) }
  } catch (error) {
    return { ...bars, values: [], note: error instanceof Error ? error.message : String(error) }
  }
}
