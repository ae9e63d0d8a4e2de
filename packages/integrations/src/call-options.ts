/** What every method of every port takes. */
export interface CallOptions {
  /**
   * Ends the call early: the promise rejects with the signal's reason. The upstream system may have
   * done its part already.
   */
  signal?: AbortSignal | undefined
}
