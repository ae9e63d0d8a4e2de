const usableId = /^[A-Za-z0-9._:@-]{8,128}$/

/** The caller's X-Request-Id when it is safe in logs and headers, else a new one. */
export function chooseRequestId(provided: string | undefined): string {
  return provided !== undefined && usableId.test(provided) ? provided : crypto.randomUUID()
}
