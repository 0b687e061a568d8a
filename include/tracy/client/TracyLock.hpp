/* SPDX-License-Identifier: Apache-2.0 */
/* tracy::Lockable and tracy::SharedLockable: a mutex that records its waiters and its owner. */
#ifndef TACHO_TRACY_LOCK_HPP
#define TACHO_TRACY_LOCK_HPP
#ifdef TRACY_ENABLE

#include "TracyProfiler.hpp"

namespace tracy
{
/* The recording part alone, for locks that are not C++ mutexes. */
class LockableCtx
{
public:
	explicit LockableCtx(const SourceLocationData *s) : LockableCtx(s, 0)
	{
	}
	LockableCtx(const LockableCtx &) = delete;
	LockableCtx &operator=(const LockableCtx &) = delete;
	~LockableCtx()
	{
		tacho_lock_gone(&lock_);
	}
	bool BeforeLock()
	{
		tacho_lock_event(&lock_, TACHO_LOCK_WAIT);
		return true;
	}
	void AfterLock()
	{
		tacho_lock_event(&lock_, TACHO_LOCK_OBTAIN);
	}
	void AfterUnlock()
	{
		tacho_lock_event(&lock_, TACHO_LOCK_RELEASE);
	}
	void AfterTryLock(bool acquired)
	{
		if (acquired)
			tacho_lock_event(&lock_, TACHO_LOCK_OBTAIN);
	}
	void Mark(const SourceLocationData *s)
	{
		struct tacho_srcloc where = {s->name,  s->function, s->file, s->line,
					     s->color, 0,           0};

		if (tacho_is_recording())
			tacho_lock_mark_emit(&lock_, &where);
	}
	void CustomName(const char *name, size_t size)
	{
		tacho_lock_name(&lock_, name, size);
	}

protected:
	LockableCtx(const SourceLocationData *s, uint32_t shared)
	    : lock_{s->name ? s->name : s->function, s->file, s->line, shared, 0, 0, nullptr, 0}
	{
	}
	struct tacho_lock lock_;
};

class SharedLockableCtx : public LockableCtx
{
public:
	explicit SharedLockableCtx(const SourceLocationData *s) : LockableCtx(s, 1)
	{
	}
	bool BeforeLockShared()
	{
		tacho_lock_event(&lock_, TACHO_LOCK_WAIT_SHARED);
		return true;
	}
	void AfterLockShared()
	{
		tacho_lock_event(&lock_, TACHO_LOCK_OBTAIN_SHARED);
	}
	void AfterUnlockShared()
	{
		tacho_lock_event(&lock_, TACHO_LOCK_RELEASE_SHARED);
	}
	void AfterTryLockShared(bool acquired)
	{
		if (acquired)
			tacho_lock_event(&lock_, TACHO_LOCK_OBTAIN_SHARED);
	}
};

/* The exclusive half of both, around a mutex of type T and a context of type Context. */
template <class T, class Context> class LockableOf
{
public:
	explicit LockableOf(const SourceLocationData *srcloc) : context_(srcloc)
	{
	}
	LockableOf(const LockableOf &) = delete;
	LockableOf &operator=(const LockableOf &) = delete;

	void lock()
	{
		context_.BeforeLock();
		mutex_.lock();
		context_.AfterLock();
	}
	void unlock()
	{
		mutex_.unlock();
		context_.AfterUnlock();
	}
	bool try_lock()
	{
		const bool acquired = mutex_.try_lock();

		context_.AfterTryLock(acquired);
		return acquired;
	}
	void Mark(const SourceLocationData *srcloc)
	{
		context_.Mark(srcloc);
	}
	void CustomName(const char *name, size_t size)
	{
		context_.CustomName(name, size);
	}

protected:
	T mutex_;
	Context context_;
};

template <class T> class Lockable : public LockableOf<T, LockableCtx>
{
public:
	using LockableOf<T, LockableCtx>::LockableOf;
};

template <class T> class SharedLockable : public LockableOf<T, SharedLockableCtx>
{
public:
	using LockableOf<T, SharedLockableCtx>::LockableOf;

	void lock_shared()
	{
		this->context_.BeforeLockShared();
		this->mutex_.lock_shared();
		this->context_.AfterLockShared();
	}
	void unlock_shared()
	{
		this->mutex_.unlock_shared();
		this->context_.AfterUnlockShared();
	}
	bool try_lock_shared()
	{
		const bool acquired = this->mutex_.try_lock_shared();

		this->context_.AfterTryLockShared(acquired);
		return acquired;
	}
};
} // namespace tracy

#endif /* TRACY_ENABLE */
#endif
