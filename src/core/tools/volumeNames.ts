import { fold } from './places.ts';

/**
 * A name as a volume of Windows may read it, which any machine can have mounted: dots and spaces at
 * its end do not count. Like `fold`, it is for finding danger, not for allowing.
 */
export function foldOnVolume(name: string): string {
  return fold(name).replace(/[. ]+$/, '');
}

/** Whether such a volume may have given it to a longer name: `GIT~1`. Nobody can tell to which. */
export function isShortName(name: string): boolean {
  return /^(?=[^.]{1,8}(\.|$))[^.]+~\d+(\.[^.]{0,3})?$/.test(name);
}
