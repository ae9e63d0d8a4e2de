import type { SystemView } from '@atrium/core/system/system'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { formatDuration, formatSize } from '../parts/measures.ts'

const t = translations('operator.system')

const longSeconds = 60

/** The database, its replica, and the processes that use it. */
export function DatabasePanel({ view }: { view: SystemView }) {
  const { database, processes, version } = view
  const { connections, migration, replica, oldestTransactionSeconds } = database
  const crowded = connections.used > connections.most * 0.8
  return (
    <Panel title={t('database.title')}>
      <DetailList>
        <DetailItem label="PostgreSQL">
          {t('database.versionAndSize', {
            version: database.version,
            size: formatSize(database.sizeBytes),
          })}
        </DetailItem>
        <DetailItem label={t('database.schema')}>
          {migration.found === migration.needed ? (
            migration.found
          ) : (
            <StatusBadge
              label={t('database.schemaBehind', {
                found: migration.found,
                needed: migration.needed,
              })}
              tone="warning"
            />
          )}
        </DetailItem>
        <DetailItem label={t('database.connections')}>
          {crowded ? (
            <StatusBadge label={t('of', connections)} tone="warning" />
          ) : (
            t('of', connections)
          )}
        </DetailItem>
        <DetailItem label={t('database.oldestTransaction')}>
          {oldestTransactionSeconds === null ? (
            t('none')
          ) : oldestTransactionSeconds > longSeconds ? (
            <StatusBadge label={formatDuration(oldestTransactionSeconds)} tone="warning" />
          ) : (
            formatDuration(oldestTransactionSeconds)
          )}
        </DetailItem>
        <DetailItem label={t('database.replica')}>
          <Replica replica={replica} />
        </DetailItem>
        <DetailItem label={t('database.processes', { version })}>
          {processes.length === 0
            ? t('database.noProcess')
            : processes.map(({ address, since }, place) => (
                <div key={`${address}-${since}-${place}`}>
                  {t.rich('database.process', {
                    address: address ?? t('database.local'),
                    time: () => <Time at={since} />,
                  })}
                </div>
              ))}
        </DetailItem>
      </DetailList>
    </Panel>
  )
}

function Replica({ replica }: { replica: SystemView['database']['replica'] }) {
  if (replica === null) return t('database.noReplica')
  if (replica.state === 'error' || replica.lagBytes === null || replica.lagSeconds === null)
    return <StatusBadge label={t('database.replicaFailed')} tone="bad" />
  if (replica.lagBytes === 0)
    return <StatusBadge label={t('database.replicaCurrent')} tone="good" />
  const behind = t('database.replicaBehind', {
    duration: formatDuration(replica.lagSeconds),
    size: formatSize(replica.lagBytes),
  })
  return <StatusBadge label={behind} tone={replica.lagSeconds > longSeconds ? 'bad' : 'working'} />
}
