import type { Formats } from '../formats.ts'
import { address, type Choice, choiceQuery } from '../picker.ts'

export interface PickerView {
  /** Address of the page that the picker is on. */
  path: string
  choice: Choice
  standardDuration: number
  durations: readonly number[]
  formats: Formats
  /**
   * Where a chosen time is sent: by POST where it is held for the visitor, by GET where it is only
   * looked at.
   */
  target: { action: string; method: 'post' | 'get' }
  /** Under which a chosen time is held; absent where it is not held. */
  lockToken?: string | undefined
  /** The list of zones instead of the times. */
  choosingZone: boolean
}

/** The address of the same picker with another choice. */
export function pickerLink(
  { path, choice, standardDuration }: PickerView,
  change: Partial<Choice>,
): string {
  return address(path, choiceQuery({ ...choice, ...change }, standardDuration))
}
