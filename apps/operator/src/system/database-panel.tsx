import type { SystemView } from '@atrium/core/system/system'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { Panel } from '@atrium/ui/panel'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { duration, size } from './labels.ts'

const longSeconds = 60

/** The database, its copy, and the processes that use it. */
export function DatabasePanel({ view }: { view: SystemView }) {
  const { database, processes, version } = view
  const { connections, migration, replica, oldestTransactionSeconds } = database
  const crowded = connections.used > connections.most * 0.8
  return (
    <Panel title="Database and processes">
      <DetailList>
        <DetailItem label="PostgreSQL">
          {database.version}, {size(database.sizeBytes)}
        </DetailItem>
        <DetailItem label="Schema">
          {migration.found === migration.needed ? (
            migration.found
          ) : (
            <StatusBadge
              label={`${migration.found}, needed is ${migration.needed}`}
              tone="warning"
            />
          )}
        </DetailItem>
        <DetailItem label="Connections">
          {crowded ? (
            <StatusBadge label={`${connections.used} of ${connections.most}`} tone="warning" />
          ) : (
            `${connections.used} of ${connections.most}`
          )}
        </DetailItem>
        <DetailItem label="Oldest open transaction">
          {oldestTransactionSeconds === null ? (
            'None'
          ) : oldestTransactionSeconds > longSeconds ? (
            <StatusBadge label={duration(oldestTransactionSeconds)} tone="warning" />
          ) : (
            duration(oldestTransactionSeconds)
          )}
        </DetailItem>
        <DetailItem label="Copy for reports">
          <Replica replica={replica} />
        </DetailItem>
        <DetailItem label={`API processes (${version})`}>
          {processes.length === 0
            ? 'None listens for changes'
            : processes.map(({ address, since }, place) => (
                <div key={`${address}-${since}-${place}`}>
                  {address ?? 'local'}, connected <Time at={since} />
                </div>
              ))}
        </DetailItem>
      </DetailList>
    </Panel>
  )
}

function Replica({ replica }: { replica: SystemView['database']['replica'] }) {
  if (replica === null) return 'None; reads use the primary'
  if (replica.state === 'error' || replica.lagBytes === null || replica.lagSeconds === null)
    return <StatusBadge label="Cannot be asked" tone="bad" />
  if (replica.lagBytes === 0) return <StatusBadge label="Up to date" tone="good" />
  const behind = `${duration(replica.lagSeconds)} behind, ${size(replica.lagBytes)}`
  return <StatusBadge label={behind} tone={replica.lagSeconds > longSeconds ? 'bad' : 'working'} />
}
