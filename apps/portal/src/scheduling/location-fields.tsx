import { type LocationKind, locationKinds } from '@atrium/core/scheduling/scheduling'
import { translations } from '@atrium/ui/messages'
import { NativeSelect, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { locationName } from './time-text.ts'

interface Props {
  kind: LocationKind
  location: string
  errors: Readonly<Record<string, ReactNode>>
  disabled?: boolean
  onKind: (kind: LocationKind) => void
  onLocation: (location: string) => void
}

const t = translations('portal.scheduling-event-types')

const types = { video: 'url', phone: 'tel', in_person: 'text' } as const

/** How people meet, and what visitors see of it. */
export function LocationFields({
  kind,
  location,
  errors,
  disabled = false,
  onKind,
  onLocation,
}: Props) {
  return (
    <>
      <NativeSelect
        label={t('location.kind')}
        data={locationKinds.map((value) => ({ value, label: locationName(value) }))}
        value={kind}
        disabled={disabled}
        data-path="locationKind"
        onChange={(event) => onKind(event.currentTarget.value as LocationKind)}
      />
      {kind !== 'visitor_phone' && (
        <TextInput
          type={types[kind]}
          label={t(`location.${kind}.label`)}
          placeholder={t(`location.${kind}.placeholder`)}
          description={kind === 'video' ? t('location.video.hint') : undefined}
          required
          maxLength={500}
          disabled={disabled}
          value={location}
          error={errors.location}
          data-path="location"
          onChange={(event) => onLocation(event.currentTarget.value)}
        />
      )}
    </>
  )
}
