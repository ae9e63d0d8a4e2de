import type { Operation } from '../call-policy.ts'
import type { HttpClient } from '../http-client.ts'
import { drivePath } from './opencloud-paths.ts'
import { Drive } from './records.ts'

/** The space with this id; undefined where it is gone, or not ours to see. */
export function readDrive(client: HttpClient, operation: Operation, id: string) {
  return client.send(operation, {
    label: 'GET /v1.0/drives/{id}',
    method: 'GET',
    path: drivePath(operation, id),
    repeatable: true,
    accept: [200, 404],
    read: ({ status, json }) => (status === 200 ? Drive.parse(json) : undefined),
  })
}
