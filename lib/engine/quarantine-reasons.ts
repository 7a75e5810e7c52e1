/** Why a node is in quarantine, as the node itself shows. */
export const MAY_HAVE_FORGOTTEN = 'it is new, or was restarted, emptied or set back, and may have forgotten locks';

/** The same for a reader who is told of no set clock apart from this. */
export const MAY_HAVE_FORGOTTEN_OR_SET =
  'it is new, or was restarted, emptied or set back, or its clock was set, and may have forgotten locks';

/** The same of several nodes, to be read behind "are". */
export const MANY_MAY_HAVE_FORGOTTEN =
  'in quarantine (new, restarted, emptied or restored, or their clocks were changed), since they may have forgotten locks';
