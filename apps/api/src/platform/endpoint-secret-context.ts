/** The place that the secrets of a webhook endpoint are encrypted for. */
export const endpointSecretContext = (endpointId: string) =>
  `webhook_endpoints.secret:${endpointId}`
