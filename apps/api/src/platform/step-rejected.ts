/**
 * What a step cannot do for a reason that a person has to mend. The message is shown on the tenant.
 */
export class StepRejected extends Error {
  override readonly name = 'StepRejected'
}
