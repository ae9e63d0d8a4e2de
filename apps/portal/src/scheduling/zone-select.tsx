import { currentZoneName, isTimeZone, listTimeZones } from '@atrium/core/scheduling/time-zones'
import { translations } from '@atrium/ui/messages'
import { Select, type SelectProps } from '@mantine/core'
import { useMemo } from 'react'

const t = translations('portal.scheduling')

/** The zone of the person's device. */
export function ownZone(): string {
  return currentZoneName(Intl.DateTimeFormat().resolvedOptions().timeZone)
}

const nameOf = (zone: string) => (zone === 'UTC' ? t('zone.utc') : zone.replaceAll('_', ' '))

/**
 * Every zone that the browser knows, found by typing a part of its name. A zone that only the
 * server knows stays chosen.
 */
export function ZoneSelect({
  value,
  onChange,
  ...props
}: Omit<SelectProps, 'data' | 'onChange'> & { onChange: (zone: string) => void }) {
  const data = useMemo(() => {
    const known = new Set([
      ...listTimeZones(),
      ...(typeof value === 'string' && isTimeZone(value) ? [value] : []),
    ])
    return [...known].map((zone) => ({ value: zone, label: nameOf(zone) }))
  }, [value])
  return (
    <Select
      searchable
      allowDeselect={false}
      nothingFoundMessage={t('zone.nothingFound')}
      limit={60}
      comboboxProps={{ withinPortal: false }}
      {...props}
      data={data}
      value={value ?? null}
      onChange={(zone) => zone !== null && onChange(zone)}
    />
  )
}
