/** A step failed for a reason that a person has to fix. The tenant's page shows the message. */
export class StepRejected extends Error {
  override readonly name = 'StepRejected'
}
